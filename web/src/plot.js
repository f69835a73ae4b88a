import uPlot from 'uplot';

import {STEPS, css, roomAlong, roomAtEnd, roomBeside} from './axis.js';
import {isCalendar, scaleOf, tickText, valueText} from './format.js';
import {Tip} from './tip.js';

const STROKES = {
  strong: {colour: '--accent', width: 1.75},
  second: {colour: '--ink', width: 1.75, dash: [7, 4]},
  third: {colour: '--soft', width: 1.75, dash: [2, 3]},
  reference: {colour: '--soft', width: 1, dash: [4, 4]},
};

// A line that holds its value up to the next place, as corners.
function corners(grid, y, end) {
  const places = [];
  const values = [];
  grid.forEach((x, i) => {
    if (i > 0) {
      places.push(x);
      values.push(y[i - 1]);
    }
    places.push(x);
    values.push(y[i]);
  });
  places.push(end);
  values.push(y[y.length - 1]);
  return {x: places, y: values};
}

// uPlot wants one rising x for all series: everything is merged, and a series is undefined (not
// null, which would be a gap) at the places of the others.
function layers(figure) {
  const list = [];
  figure.bands.forEach((band, i) => {
    list.push({kind: 'edge', x: figure.grid, y: band.upper, band: i});
    list.push({kind: 'edge', x: figure.grid, y: band.lower, band: i});
  });
  const isReference = (line) => line.stroke === 'reference';
  const lines = [...figure.lines.filter(isReference), ...figure.lines.filter((l) => !isReference(l))];
  for (const line of lines) {
    const path = line.is_step ? corners(figure.grid, line.y, figure.x.high) : {x: figure.grid, y: line.y};
    list.push({kind: 'line', stroke: line.stroke, ...path});
  }
  figure.points.forEach((points, i) => list.push({kind: 'points', set: i, x: points.x, y: points.y}));
  return list;
}

function merged(list, unit) {
  const sources = new Map();  // layers with the same x share their places
  list.forEach((layer, i) => {
    const key = layer.x.length && layer.kind !== 'points' ? layer.x : Symbol(i);
    if (!sources.has(key)) sources.set(key, []);
    sources.get(key).push(i);
  });
  const entries = [];
  for (const members of sources.values()) {
    list[members[0]].x.forEach((x, place) => entries.push({x, place, members}));
  }
  entries.sort((a, b) => a.x - b.x);
  const data = [entries.map((entry) => entry.x * unit)];
  list.forEach((_, i) => data.push(new Array(entries.length)));
  entries.forEach((entry, row) => {
    for (const i of entry.members) data[i + 1][row] = list[i].y[entry.place];
  });
  return data;
}

function seriesOf(layer) {
  if (layer.kind === 'edge') return {stroke: 'transparent', width: 0, points: {show: false}};
  if (layer.kind === 'line') {
    const {colour, width, dash} = STROKES[layer.stroke];
    return {stroke: () => css(colour), width, dash, points: {show: false}};
  }
  const colour = () => css(layer.set === 1 ? '--dot-1' : '--dot');
  return {stroke: colour, paths: () => null, points: {show: true, size: 4.5, width: 0, fill: colour, stroke: colour}};
}

function axisOptions(axis, isX, isSmall, width) {
  return {
    ...(isCalendar(axis) ? {} : {incrs: STEPS}),
    stroke: () => css('--soft'),
    font: `12px ${css('--sans')}`,
    grid: {show: !isX, stroke: () => css('--grid'), width: 1},
    ticks: {show: isX, stroke: () => css('--line'), size: 5, width: 1},
    border: {show: isX, stroke: () => css('--line'), width: 1},
    size: isX ? (isSmall ? 26 : 46) : roomBeside,
    gap: isX ? 4 : 6,
    space: isX ? roomAlong(axis, width < 450 ? 42 : 80) : (width < 450 ? 30 : 44),
    values: (_, splits, __, ___, step) => splits.map((value) => tickText(axis, value, step)),
  };
}

// What uPlot does not draw: names of the axes, the forecast's ground, strokes for rows.
function drawGround(u, figure, unit) {
  const {ctx, bbox} = u;
  ctx.save();
  if (figure.data_end !== null) {
    const x = Math.max(u.valToPos(figure.data_end * unit, 'x', true), bbox.left);
    const right = bbox.left + bbox.width;
    if (x < right) {
      ctx.fillStyle = css('--future');
      ctx.fillRect(x, bbox.top, right - x, bbox.height);
      ctx.strokeStyle = css('--soft');
      ctx.globalAlpha = 0.7;
      ctx.setLineDash([3 * devicePixelRatio, 4 * devicePixelRatio]);
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
    }
  }
  ctx.restore();
}

function drawNames(u, figure, unit, isSmall) {
  const {ctx, bbox} = u;
  const ratio = devicePixelRatio;
  ctx.save();
  ctx.fillStyle = css('--card');
  ctx.globalAlpha = 0.72;
  for (const [low, high] of figure.far) {  // what lies far from all rows fades
    const left = Math.max(u.valToPos(low * unit, 'x', true), bbox.left);
    const right = Math.min(u.valToPos(high * unit, 'x', true), bbox.left + bbox.width);
    if (left < right) ctx.fillRect(left, bbox.top, right - left, bbox.height);
  }
  ctx.globalAlpha = 1;
  if (figure.rug.length) {
    ctx.strokeStyle = css('--soft');
    ctx.globalAlpha = 0.55;
    ctx.lineWidth = ratio;
    ctx.beginPath();
    for (const place of figure.rug) {
      const x = u.valToPos(place * unit, 'x', true);
      if (x < bbox.left || x > bbox.left + bbox.width) continue;
      ctx.moveTo(x, bbox.top + bbox.height);
      ctx.lineTo(x, bbox.top + bbox.height - 7 * ratio);
    }
    ctx.stroke();
    ctx.globalAlpha = 1;
  }
  if (isSmall) {
    ctx.restore();
    return;
  }
  ctx.fillStyle = css('--soft');
  ctx.font = `500 ${12 * ratio}px ${css('--sans')}`;
  ctx.textBaseline = 'alphabetic';
  ctx.textAlign = 'left';
  ctx.fillText(figure.y.label, 0, 13 * ratio);
  ctx.textAlign = 'right';
  ctx.fillText(figure.x.label, bbox.left + bbox.width, ctx.canvas.height - 4 * ratio);
  ctx.restore();
}

// The index of the place nearest to x in a rising list.
function nearest(list, x) {
  let low = 0;
  let high = list.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (list[middle] <= x) low = middle;
    else high = middle;
  }
  return Math.abs(list[low] - x) <= Math.abs(list[high] - x) ? low : high;
}

function nearestPoint(u, figure, unit, left, top) {
  const reach = 18;
  let best = null;
  figure.points.forEach((set) => {
    set.x.forEach((x, i) => {
      const dx = u.valToPos(x * unit, 'x') - left;
      if (Math.abs(dx) > reach) return;
      // Along a curve the column counts, in a cloud the dot itself.
      const dy = figure.bands.length && figure.lines.length && figure.grid.length > 2
        ? 0 : u.valToPos(set.y[i], 'y') - top;
      const distance = Math.hypot(dx, dy);
      if (distance <= reach && (!best || distance < best.distance)) best = {set, i, distance};
    });
  });
  return best;
}

function showValues(u, figure, unit, tip) {
  const {left, top} = u.cursor;
  if (left == null || left < 0) {
    tip.hide();
    return;
  }
  const rows = [];
  const point = nearestPoint(u, figure, unit, left, top);
  const x = point ? point.set.x[point.i] : u.posToVal(left, 'x') / unit;
  if (point) rows.push([point.set.label, valueText(figure.y, point.set.y[point.i])]);
  const i = nearest(figure.grid, x);
  for (const line of figure.lines) {
    if (line.stroke !== 'reference') rows.push([line.label, valueText(figure.y, line.y[i])]);
  }
  for (const band of figure.grid.length > 2 ? figure.bands : []) {
    rows.push([band.label, `${valueText(figure.y, band.lower[i])} to ${valueText(figure.y, band.upper[i])}`]);
  }
  if (!rows.length) {
    tip.hide();
    return;
  }
  const name = point && point.set.names.length ? point.set.names[point.i] : null;
  const offsetX = u.bbox.left / devicePixelRatio;
  const offsetY = u.bbox.top / devicePixelRatio;
  tip.show(left + offsetX, top + offsetY, `${figure.x.label}: ${valueText(figure.x, x)}`, rows, name);
}

function addKeyboard(u, live, zoom, reset) {
  live.addEventListener('keydown', (event) => {
    const width = u.bbox.width / devicePixelRatio;
    const height = u.bbox.height / devicePixelRatio;
    const at = u.cursor.left >= 0 ? u.cursor.left : width / 2;
    const step = event.shiftKey ? 20 : 4;
    const move = (left) => u.setCursor({left: Math.max(0, Math.min(width, left)), top: height / 2});
    const actions = {
      ArrowLeft: () => move(at - step),
      ArrowRight: () => move(at + step),
      '+': () => zoom(at, 0.7),
      '=': () => zoom(at, 0.7),
      '-': () => zoom(at, 1 / 0.7),
      '0': reset,
      Escape: () => {
        u.setCursor({left: -10, top: -10});
        reset();
      },
    };
    if (!actions[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    actions[event.key]();
    event.preventDefault();
  });
}

// The elements of a live figure beside its static drawing.
function addElements(frame, figure) {
  const live = document.createElement('div');
  live.className = 'live';
  live.tabIndex = 0;
  live.setAttribute('role', 'img');
  live.setAttribute('aria-label', figure.alt);
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'reset';
  button.textContent = 'Show all';
  button.hidden = true;
  frame.append(live);
  const tip = new Tip(frame);
  frame.append(button);
  frame.classList.add('is-live');
  return {live, button, tip};
}

function optionsOf(figure, list, whole, size, isSmall) {
  return {
    ...size,
    padding: [isSmall ? 10 : 26, roomAtEnd(figure.x), 0, 0],
    legend: {show: false},
    scales: {
      x: {time: isCalendar(figure.x), auto: false, min: whole.x[0], max: whole.x[1]},
      y: {auto: false, min: whole.y[0], max: whole.y[1]},
    },
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
    series: [{}, ...list.map(seriesOf)],
    bands: figure.bands.map((_, i) => ({series: [2 * i + 1, 2 * i + 2], fill: () => css(`--band-${i}`)})),
    axes: [axisOptions(figure.x, true, isSmall, size.width), axisOptions(figure.y, false, isSmall, size.width)],
  };
}

function makePlot(frame, figure) {
  const unit = scaleOf(figure.x);
  const view = frame.querySelector('svg').viewBox.baseVal;
  const size = () => {
    const width = Math.max(frame.clientWidth, 200);
    return {width, height: Math.max(Math.round(width * view.height / view.width), 210)};
  };
  const start = size();
  const list = layers(figure);
  const isSmall = frame.closest('.effects') !== null;  // many of a kind: names stand above them
  const whole = {x: [figure.x.low * unit, figure.x.high * unit], y: [figure.y.low, figure.y.high]};
  const {live, button, tip} = addElements(frame, figure);

  const reset = () => u.batch(() => {
    u.setScale('x', {min: whole.x[0], max: whole.x[1]});
    u.setScale('y', {min: whole.y[0], max: whole.y[1]});
  });
  const u = new uPlot({
    ...optionsOf(figure, list, whole, start, isSmall),
    cursor: {
      y: false,
      points: {show: false},
      drag: {x: true, y: true, uni: 40},
      bind: {dblclick: () => reset},
    },
    hooks: {
      drawClear: [(plot) => drawGround(plot, figure, unit)],
      draw: [(plot) => drawNames(plot, figure, unit, isSmall)],
      setCursor: [(plot) => showValues(plot, figure, unit, tip)],
      setScale: [({scales: {x, y}}) => {
        button.hidden = x.min === whole.x[0] && x.max === whole.x[1] && y.min === whole.y[0] && y.max === whole.y[1];
      }],
    },
  }, merged(list, unit), live);
  const zoom = (left, factor) => {
    const at = u.posToVal(left, 'x');
    const {min, max} = u.scales.x;
    u.setScale('x', {min: at - (at - min) * factor, max: at + (max - at) * factor});
  };
  button.addEventListener('click', reset);
  addKeyboard(u, live, zoom, reset);
  live.addEventListener('blur', () => tip.hide());
  let {width} = start;
  new ResizeObserver(() => {
    const next = size();
    if (next.width === width || frame.clientWidth === 0) return;
    width = next.width;
    u.setSize(next);
  }).observe(frame);
  frame.plot = u;  // for whoever wants to look from the console, and the tests
  return u;
}

// Levels of a category, and few values, have no places in between to point at or to zoom into: their
// drawings stay static.
export function makePlots(figures) {
  const plots = [];
  for (const figure of figures) {
    const frame = document.querySelector(`[data-figure="${CSS.escape(figure.id)}"]`);
    if (frame && figure.x.type !== 'category' && !figure.is_by_value) plots.push(makePlot(frame, figure));
  }
  return plots;
}
