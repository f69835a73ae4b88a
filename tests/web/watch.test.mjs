// A running search in a real browser.   COVARY=build/bin/covary node --test tests/web/watch.test.mjs
import assert from 'node:assert/strict';
import {writeFileSync} from 'node:fs';
import {request} from 'node:http';
import {networkInterfaces} from 'node:os';
import {join} from 'node:path';
import {after, before, test} from 'node:test';

import {folder, launch, watchSearch} from './browser.mjs';

const HOSTILE = '</script><b onmouseover=alert(1)>&"';
let browser;
before(async () => {
  browser = await launch();
});
after(async () => browser?.close());

// Watches the search of a table of `columns`, as makeReport() has them.
function watch(name, columns, numRows, options) {
  const quoted = (text) => `"${String(text).replaceAll('"', '""')}"`;
  const lines = [columns.map(([title]) => quoted(title)).join(',')];
  for (let i = 0; i < numRows; ++i) lines.push(columns.map(([, value]) => value(i)).join(','));
  const table = join(folder, `${name}.csv`);
  writeFileSync(table, lines.join('\n') + '\n');
  return watchSearch(table, columns.at(-1)[0], join(folder, name), options);
}

async function openPage(address, prepare = async () => {}) {
  const page = await (await browser.newContext()).newPage();
  page.complaints = [];
  page.setDefaultTimeout(120000);  // on a machine that has other things to do
  page.on('console', (message) => page.complaints.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => page.complaints.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => page.complaints.push(`dialog: ${dialog.message()}`) && dialog.dismiss());
  page.on('request', (sent) => {
    if (!sent.url().startsWith(address) && !sent.url().startsWith('data:')) page.complaints.push(`request: ${sent.url()}`);
  });
  await prepare(page);
  await page.goto(address);
  return page;
}

const series = [['month', (i) => 1950 + i / 12], ['y', (i) => Math.sin(i / 2) + 0.05 * i + ((i * 7919) % 13) * 0.02]];
const numKernels = (page) => page.locator('#rows tr').count();

test('the page follows the search and makes way for its report', async () => {
  const {ended, address} = await watch('followed', series, 120, ['--max-evaluations', '80']);
  const page = await openPage(address);
  await page.waitForFunction(() => document.querySelectorAll('#rows tr').length >= 3);
  const early = await numKernels(page);
  await page.waitForFunction((n) => document.querySelectorAll('#rows tr').length > n, early);
  assert.match(await page.locator('#status').textContent(), /of 80 kernels evaluated/);
  assert.notEqual(await page.locator('#kernel').textContent(), '');
  assert.equal(await page.locator('#fit-plot canvas').count(), 1);
  assert.equal(await page.locator('#progress-plot canvas').count(), 1);
  assert.equal(await page.locator('#target').textContent(), 'y');
  await page.waitForURL(/\/report$/, {timeout: 120000});
  assert.equal(await ended, 0);
  await page.waitForSelector('#report-data', {state: 'attached'});
  assert.match(await page.locator('h1').textContent(), /What makes up/);
  assert.deepEqual(page.complaints, []);
});

test('the search survives the browser closing, and a page that comes late sees everything', async () => {
  const {child, ended, address} = await watch('closed', series, 150, ['--max-evaluations', '300']);
  const first = await openPage(address);
  await first.waitForFunction(() => document.querySelectorAll('#rows tr').length >= 1);
  await first.context().close();
  const second = await openPage(address);
  await second.waitForFunction(() => document.querySelectorAll('#rows tr').length >= 5);
  const numbers = await second.locator('#rows tr td:first-child').allTextContents();
  assert.deepEqual(numbers.map(Number).sort((a, b) => a - b), numbers.map((_, i) => i + 1));
  await second.context().close();
  child.kill('SIGINT');
  assert.equal(await ended, 130);
});

test('of many rows the page tells on how many kernels were compared', async () => {
  const {child, ended, address} = await watch('rungs', series, 120, ['--max-evaluations', '300']);
  const kernels = [['SE', -1, 1, 500], ['LIN', -2, 2, 500], ['SE', -1.5, 3, 800], ['LIN', -2.5, 4, 800]];
  let shown = {phase: 'searching', target: 'y', inputs: ['x'], rows: 800, planned: 9, open_end: true, seconds: 3,
    seconds_left: 5, best: 0, criterion: 'evidence', kernels: kernels.slice(0, 2), fit: null};
  const page = await openPage(address, (empty) => empty.route('**/state', (route) => route.fulfill({json: shown})));
  const words = (part) => page.waitForFunction((text) => document.getElementById('status').textContent.includes(text), part);
  await words('evidence \u22121 per row, on 500 of 800 rows');
  shown = {...shown, best: 2, kernels};
  await words('evidence \u22121.5 per row:');
  assert.deepEqual(await page.locator('#rows tr td:nth-child(4)').allTextContents(), ['800', '800', '500', '500']);
  assert.deepEqual(page.complaints, []);
  child.kill('SIGINT');
  assert.equal(await ended, 130);
});

test('numbers along the axes have room, dates are at their places, and kernels can be read on a telephone', async () => {
  const {child, ended, address} = await watch('wide', series, 120, ['--max-evaluations', '300']);
  const shown = {phase: 'searching', target: 'y', inputs: ['a', 'b'], rows: 80, planned: 9, open_end: true, seconds: 3,
    seconds_left: 5, best: 0, criterion: 'log evidence', kernels: [['SE(a)*SE(b) + LIN(a)', -1, 1, 80]],
    fit: {kind: 'scatter', mean: [-1e7, 0, 2.5e7], observed: [-1.1e7, 1e6, 2.4e7]}};
  const dated = {kind: 'curve', axis: {type: 'date', label: 'day'}, x: [18000, 18700, 19400], lower: [0, 0, 0], mean: [1, 2, 3], upper: [4, 4, 4],
    observed_x: [18000, 19000], observed_y: [1, 2]};
  const page = await openPage(address, async (empty) => {
    await empty.setViewportSize({width: 390, height: 844});
    await empty.route('**/state', (route) => route.fulfill({json: shown}));
  });
  const axes = () => page.evaluate(() => {
    const {plot} = document.getElementById('fit-plot');
    const ruler = document.createElement('canvas').getContext('2d');
    ruler.font = plot.axes[1].font[0];
    const [x, y] = plot.axes;
    const width = (text) => ruler.measureText(text).width / devicePixelRatio;
    return {room: plot.bbox.left / devicePixelRatio, longest: Math.max(...y._values.map(width)), labels: x._values,
      gaps: x._splits.slice(1).map((split, i) => plot.valToPos(split, 'x') - plot.valToPos(x._splits[i], 'x') - width(x._values[i + 1]) / 2 - width(x._values[i]) / 2)};
  });
  await page.waitForFunction(() => document.getElementById('fit-plot').plot);
  const {room, longest, gaps} = await axes();
  assert.ok(longest > 50 && room >= longest + 4, `${longest} in ${room}`);
  assert.ok(Math.min(...gaps) > 3, `${gaps}`);
  assert.ok((await page.locator('#rows code').boundingBox()).width > 100);
  assert.equal(await page.locator('#value-title').textContent(), 'Log evidence per row');
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= 390);
  shown.inputs = ['day'];
  shown.fit = dated;
  await page.waitForFunction(() => document.getElementById('fit-title').textContent.includes('along'));
  const {labels} = await axes();
  assert.ok(labels.length > 1);
  assert.equal(new Set(labels).size, labels.length, `${labels}`);
  assert.ok(labels.every((label) => /^20(19|2[0-3])/.test(label)), `${labels}`);
  assert.deepEqual(page.complaints, []);
  child.kill('SIGINT');
  assert.equal(await ended, 130);
});

test('several inputs with hostile names do no harm', async () => {
  const columns = [[HOSTILE, (i) => i], ['b', (i) => (i * 37) % 71], [`<i>y</i>${HOSTILE}`, (i) => Math.sin(i / 9) + ((i * 37) % 71) / 50]];
  const {child, ended, address} = await watch('hostile_live', columns, 100, ['--max-evaluations', '200']);
  const page = await openPage(address);
  await page.waitForFunction(() => document.querySelectorAll('#rows tr').length >= 2);
  assert.equal(await page.locator('#target').textContent(), `<i>y</i>${HOSTILE}`);
  assert.equal(await page.locator('main b, main i').count(), 0);
  await page.waitForSelector('#fit-plot canvas');
  assert.deepEqual(page.complaints, []);
  child.kill('SIGINT');
  assert.equal(await ended, 130);
  await page.waitForFunction(() => document.getElementById('status').textContent.includes('does not answer'));
});

// The status of a GET with these headers, from this address.
function statusOf(address, headers, host) {
  const {port} = new URL(address);
  return new Promise((resolve) => {
    const sent = request({host: host ?? '127.0.0.1', port, path: '/state', headers, timeout: 2000}, (got) => {
      got.resume();
      resolve(got.statusCode);
    });
    sent.on('timeout', () => sent.destroy(new Error('timeout')));
    sent.on('error', (error) => resolve(error.code ?? error.message));
    sent.end();
  });
}

test('other origins, other names and other machines get nothing', async () => {
  const {child, ended, address} = await watch('guarded', series, 120, ['--max-evaluations', '300']);
  const {host, origin} = new URL(address);
  assert.equal(await statusOf(address, {host}), 200);
  assert.equal(await statusOf(address, {host, origin}), 200);
  assert.equal(await statusOf(address, {host: 'evil.example'}), 403);
  assert.equal(await statusOf(address, {host, origin: 'http://evil.example'}), 403);
  assert.equal(await statusOf(address, {host, 'sec-fetch-site': 'cross-site'}), 403);
  for (const {address: outer, family, internal} of Object.values(networkInterfaces()).flat()) {
    if (!internal && family === 'IPv4') assert.notEqual(await statusOf(address, {host}, outer), 200, outer);
  }
  child.kill('SIGINT');
  assert.equal(await ended, 130);
});
