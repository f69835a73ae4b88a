// Follows a running search: asks for its state every second, and makes way for the report at its
// end. All that comes from the search is put in as text.
import uPlot from 'uplot';

import {STEPS, css as colour, roomAlong, roomBeside} from './axis.js';
import {isCalendar, numberText, scaleOf, tickText} from './format.js';
import {makeThemeSwitch} from './theme.js';

const PERIOD = 1000;
const HEIGHT = 300;
const COUNTS = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'];
const $ = (id) => document.getElementById(id);

document.documentElement.classList.add('has-script');

const NUMBER = {type: 'number'};
const axis = (type, extra = {}) => ({
  ...(isCalendar(type) ? {} : {incrs: STEPS}),
  font: `12px ${colour('--sans')}`,
  stroke: () => colour('--soft'),
  grid: {stroke: () => colour('--grid'), width: 1},
  ticks: {stroke: () => colour('--grid'), width: 1},
  values: (_, places, index, space, step) => places.map((place) => tickText(type, place, step)),
  ...extra,
});

function options(frame, series, type, extra = {}) {
  return {
    width: frame.clientWidth,
    height: HEIGHT,
    legend: {show: false},
    scales: {x: {time: isCalendar(type)}},
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
    axes: [axis(type, {space: roomAlong(type, 50)}), axis(NUMBER, {size: roomBeside})],
    series,
    ...extra,
  };
}

// One plot in a frame, drawn anew where its kind changes, else given new numbers.
class Plot {
  constructor(id) {
    this.frame = $(id);
    this.kind = null;
    new ResizeObserver(() => this.resize()).observe(this.frame);
  }

  show(kind, series, data, type = NUMBER, extra = {}) {
    if (this.kind !== kind) {
      this.plot?.destroy();
      this.plot = new uPlot(options(this.frame, series, type, extra), data, this.frame);
      this.frame.plot = this.plot;  // for the tests
      this.kind = kind;
    } else {
      this.plot.setData(data);
    }
  }

  resize() {
    this.plot?.setSize({width: this.frame.clientWidth, height: HEIGHT});
  }

  redraw() {
    this.plot?.redraw(false);
  }
}

const fitPlot = new Plot('fit-plot');
const progressPlot = new Plot('progress-plot');
makeThemeSwitch(() => [fitPlot, progressPlot].forEach((plot) => plot.redraw()));

const line = (label, name, extra = {}) => ({label, stroke: () => colour(name), width: 2, points: {show: false}, ...extra});
const dots = (label) => ({label, stroke: () => colour('--dot'), width: 0, points: {show: true, size: 4, fill: () => colour('--dot')}});

// Data and curve have places of their own; uPlot wants one list of places for all.
function joined(fit, scale) {
  return uPlot.join([
    [fit.x.map((x) => scale * x), fit.lower, fit.upper, fit.mean],
    sortedPairs(fit.observed_x.map((x) => scale * x), fit.observed_y),
  ]);
}

function sortedPairs(x, y) {
  const order = x.map((_, i) => i).sort((a, b) => x[a] - x[b]);
  // Rows at the same place would be one to uPlot: each gets the next number there is.
  const places = [];
  for (const i of order) {
    const last = places.length > 0 ? places[places.length - 1] : -Infinity;
    places.push(x[i] > last ? x[i] : last + Math.max(Math.abs(last), 1e-9) * 1e-12);
  }
  return [places, order.map((i) => y[i])];
}

function showFit(state) {
  const fit = state.fit;
  if (!fit) return;
  if (fit.kind === 'curve') {
    $('fit-title').textContent = `${state.target} along ${state.inputs[0]}`;
    const spans = {spanGaps: true};
    fitPlot.show('curve', [
      {},
      line('lower', '--accent', {width: 0, ...spans}),
      line('upper', '--accent', {width: 0, ...spans}),
      line('mean', '--accent', spans),
      dots('data'),
    ], joined(fit, scaleOf(fit.axis)), fit.axis, {bands: [{series: [2, 1], fill: () => colour('--band-0')}]});
    return;
  }
  $('fit-title').textContent = `${state.target}: observed over fitted, inside the sample`;
  fitPlot.show('scatter', [{}, dots('observed')], sortedPairs(fit.mean, fit.observed));
}

function showProgress(state) {
  let best = null;
  let rung = null;
  const values = state.kernels.map(([, value, , rows]) => {
    // On more rows it begins anew: values of other rows are no values to beat.
    if (rows !== rung) best = null;
    rung = rows;
    if (value !== null && (best === null || value > best)) best = value;
    return best;
  });
  // Bad kernels at the beginning would hide how the good ones differ.
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return;
  const places = values.map((_, i) => i + 1);
  progressPlot.show('progress', [{}, line('best', '--accent', {paths: uPlot.paths.stepped({align: 1})})], [places, values]);
}

let shown = 0;
function showKernels(state) {
  const rows = $('rows');
  if (state.kernels.length < shown) {
    rows.replaceChildren();
    shown = 0;
  }
  for (; shown < state.kernels.length; ++shown) {
    const [kernel, value, seconds, judged] = state.kernels[shown];
    const row = document.createElement('tr');
    const cells = [String(shown + 1), value === null ? 'failed' : value.toFixed(4).replace('-', '−'), seconds.toFixed(1), String(judged)];
    for (const text of cells) {
      const cell = document.createElement('td');
      cell.className = 'number';
      cell.textContent = text;
      row.append(cell);
    }
    const cell = document.createElement('th');
    cell.scope = 'row';
    const code = document.createElement('code');
    code.textContent = kernel;
    cell.append(code);
    row.append(cell);
    rows.prepend(row);
  }
  [...rows.rows].forEach((row, i) => row.classList.toggle('is-best', state.kernels.length - 1 - i === state.best));
}

function duration(seconds) {
  if (seconds < 100) return `${Math.round(seconds)} s`;
  return seconds < 6000 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}

function showStatus(state) {
  const done = state.kernels.length;
  const count = state.inputs.length;
  const inputs = count === 1 ? 'one input' : `${COUNTS[count] ?? count} inputs`;
  $('about').textContent = `${state.rows} rows, ${inputs}`;
  $('target').textContent = state.target;
  const {criterion} = state;
  $('best-title').textContent = `Best ${criterion} per row`;
  $('value-title').textContent = `${criterion[0].toUpperCase()}${criterion.slice(1)} per row`;
  document.title = `${done}/${state.planned}: Covary is searching`;
  const bar = $('bar');
  bar.setAttribute('aria-valuenow', String(done));
  bar.setAttribute('aria-valuemax', String(state.planned));
  bar.firstElementChild.style.width = `${(100 * done) / Math.max(state.planned, 1)}%`;
  if (state.best === null) return;
  const [kernel, value, , judged] = state.kernels[state.best];
  $('kernel').textContent = kernel;
  const left = state.phase === 'finishing' ? 'the best kernels are being fitted once more'
    : state.seconds_left === null ? 'the time left is not known yet'
      : `${state.open_end ? 'at most' : 'about'} ${duration(state.seconds_left)} left`;
  const planned = `${state.open_end ? 'at most ' : ''}${state.planned}`;
  $('status').textContent = `${done} of ${planned} kernels evaluated, ${left}. The best so far has ${state.criterion} ${numberText(value)} per row${judged < state.rows ? `, on ${judged} of ${state.rows} rows` : ''}:`;
}

async function follow() {
  let state;
  try {
    const response = await fetch('state', {cache: 'no-store'});
    state = await response.json();
  } catch {
    $('status').textContent = 'The search does not answer any more: it has ended, or was stopped.';
    return;
  }
  if (state.phase === 'finished') {
    location.replace('report');
    return;
  }
  showStatus(state);
  showKernels(state);
  showProgress(state);
  showFit(state);
  setTimeout(follow, PERIOD);
}

follow();
