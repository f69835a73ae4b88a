// The report in a real browser.   COVARY=build/bin/covary node --test tests/web/report.test.mjs
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';

import {launch, makeReport, open} from './browser.mjs';

const noise = (i) => ((i * 7919) % 13 - 6) * 0.02;
const shuffled = (i, n) => ((i * 37) % n) / n;
const HOSTILE = '</script><b onmouseover=alert(1)>&"';

let browser;
let one;
let several;
let hostile;
let dated;
let ahead;
let gapped;
let large;
let named;
let logged;
before(async () => {
  one = makeReport('one', [['month', (i) => 1950 + i / 12], ['y', (i) => Math.sin(i / 2) + 0.05 * i + noise(i)]], 60,
    ['--max-evaluations', '16']);
  several = makeReport('several', [
    ['blast_furnace_slag_and_cement', (i) => shuffled(i, 71)], ['superplasticizer_and_age', (i) => shuffled(i + 5, 89)], ['idle', (i) => shuffled(i * i, 53)],
    ['strength', (i) => Math.sin(5 * shuffled(i, 71)) * (1 + 2 * shuffled(i + 5, 89)) + noise(i)]], 80,
  ['--max-evaluations', '30', '--space', 'SE']);
  hostile = makeReport('hostile', [[HOSTILE, (i) => i], [`<i>y</i>${HOSTILE}`, (i) => Math.sin(i / 3) + noise(i)]], 25,
    ['--max-evaluations', '5']);
  dated = makeReport('dated', [['day', (i) => new Date(Date.UTC(2019, 2, 1 + 7 * i)).toISOString().slice(0, 10)],
    ['y', (i) => 2e7 * (Math.sin(i / 8) + noise(i))]], 80, ['--max-evaluations', '5', '--operators', '+,*,CP']);
  gapped = makeReport('gapped', [['grade', (i) => i % 4], ['size', (i) => (i % 2 ? 900 : 0) + shuffled(i, 83) * 100],
    ['y', (i) => 20000 * (i % 4) * (0.5 + shuffled(i, 83)) + 1000 * noise(i)]], 80, ['--max-evaluations', '6', '--space', 'SE']);
  large = makeReport('large', [['revenue', (i) => 1e7 + 9e7 * shuffled(i, 83)], ['cost', (i) => 1e7 + 9e7 * shuffled(i * i, 71)],
    ['profit', (i) => 3e7 * (shuffled(i, 83) - shuffled(i * i, 71)) + 1e6 * noise(i)]], 80, ['--max-evaluations', '6', '--space', 'SE']);
  logged = makeReport('logged', [['a', (i) => shuffled(i, 83)], ['b', (i) => shuffled(i * i, 71)],
    ['y', (i) => 100 * Math.exp(shuffled(i, 83) + shuffled(i * i, 71) + noise(i))]], 60, ['--max-evaluations', '4', '--space', 'SE', '--transform', 'log']);
  named = makeReport('named', [['region', (i) => ['north', 'south', 'east', 'a level with a rather long name'][i % 4]], ['size', (i) => shuffled(i, 83)],
    ['y', (i) => (i % 4) * shuffled(i, 83) + noise(i)]], 80, ['--max-evaluations', '6', '--space', 'CAT,MAT32']);
  ahead = makeReport('ahead', [['month', (i) => `${2019 + Math.floor(i / 12)}-${String(i % 12 + 1).padStart(2, '0')}`],
    ['y', (i) => Math.sin(i / 2) + 0.05 * i + noise(i)]], 48,
  ['--max-evaluations', '8', '--horizon', '6', '--backtest', '2'], 'forecast');
  browser = await launch();
});
after(async () => browser?.close());

const dataOf = (page) => page.evaluate(() => JSON.parse(document.getElementById('report-data').textContent));
const scaleOf = (page, id) => page.evaluate((name) => {
  const {min, max} = document.querySelector(`[data-figure="${name}"]`).plot.scales.x;
  return [min, max];
}, id);
const boxOf = async (page, selector) => {
  await page.locator(selector).scrollIntoViewIfNeeded();
  return page.locator(selector).boundingBox();
};

// Pixels of the figure's canvas that something was drawn on.
const inkOf = (page, id) => page.evaluate((name) => {
  const canvas = document.querySelector(`[data-figure="${name}"] canvas`);
  const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  let count = 0;
  for (let i = 3; i < data.length; i += 4) count += data[i] > 0 ? 1 : 0;
  return count;
}, id);

const fileOf = (kind) => ({one, several, ahead})[kind];
for (const kind of ['one', 'several', 'ahead']) {
  test(`${kind}: every figure is there and drawn, without complaints or requests`, async () => {
    const page = await open(browser, fileOf(kind));
    const data = await dataOf(page);
    assert.ok(data.figures.length >= 6);
    for (const figure of data.figures) {
      assert.equal(await page.locator(`[data-figure="${figure.id}"] canvas`).count(), 1, figure.id);
      assert.ok(await inkOf(page, figure.id) > 500, `${figure.id} is empty`);
    }
    for (const map of data.maps) {
      assert.ok(await page.locator(`[data-map="${map.id}"] svg`).isVisible(), map.id);
    }
    if (kind === 'several') assert.ok(data.maps.length >= 1, 'no heat map');
    assert.ok(await page.locator('svg.tree').isVisible());
    assert.deepEqual(page.complaints, []);
  });

  test(`${kind}: without JavaScript all figures and words are there`, async () => {
    const page = await open(browser, fileOf(kind), {javaScriptEnabled: false});
    const html = await page.content();
    const data = JSON.parse(/id="report-data">(.*?)<\/script>/s.exec(html)[1]);
    for (const {id} of data.figures) {
      const svg = page.locator(`[data-figure="${id}"] > svg.static`);
      assert.ok(await svg.isVisible(), id);
      assert.ok((await svg.getAttribute('aria-label')).length > 20, `${id} has no words`);
      assert.ok(await svg.locator('path').count() > 3, id);
    }
    for (const {id} of data.maps) assert.ok(await page.locator(`[data-map="${id}"] > svg.static`).isVisible(), id);
    const text = await page.locator('body').innerText();
    for (const part of data.explanation.components) {
      assert.ok(text.includes(part.title.split(': ')[0]), part.title);
    }
    assert.equal(await page.locator('table.kernels tbody tr').count(), data.search.history.length);
    assert.equal(await page.locator('.theme').isVisible(), false);
    assert.deepEqual(page.complaints, []);
  });
}

test('the pointer shows values of the data, the mean and the bands', async () => {
  const page = await open(browser, one);
  const box = await boxOf(page, '[data-figure="fit"] .u-over');
  await page.mouse.move(box.x + box.width * 0.4, box.y + box.height * 0.5);
  const tip = page.locator('[data-figure="fit"] .tip');
  assert.ok(await tip.isVisible());
  const text = await tip.innerText();
  assert.match(text, /month: 195\d\.\d\d/);  // not the same year for all of its months
  for (const word of ['data', 'mean', '50 %', '95 %', ' to ']) assert.ok(text.includes(word), text);
  await page.mouse.move(box.x - 40, box.y - 60);
  await tip.waitFor({state: 'hidden'});
  assert.deepEqual(page.complaints, []);
});

test('the values under the pointer are those of the model', async () => {
  const page = await open(browser, one);
  const data = await dataOf(page);
  const fit = data.figures[0];
  const box = await boxOf(page, '[data-figure="fit"] .u-over');
  await page.mouse.move(box.x + box.width - 3, box.y + 20);  // the end of the forecast
  const shown = await page.locator('[data-figure="fit"] .tip dd').allInnerTexts();
  const number = (text) => Number(text.replace('−', '-'));
  assert.ok(Math.abs(number(shown[0]) - fit.lines[0].y.at(-1)) < 0.02 * Math.abs(fit.lines[0].y.at(-1)) + 0.01, shown[0]);
});

test('a forecast has its fan, every step, and what came in the past', async () => {
  const page = await open(browser, ahead);
  const data = await dataOf(page);
  assert.deepEqual(data.figures.map(({id}) => id).filter((id) => ['fan', 'backtest', 'reliability'].includes(id)),
    ['fan', 'backtest', 'reliability']);
  assert.equal(await page.locator('table.forecast tbody tr').count(), 6);
  assert.match(await page.locator('#forecast').innerText(), /next 6 steps, a month each[^]*seasonal naive/);
  await page.locator('.bar nav a', {hasText: 'Forecast'}).click();
  assert.ok(await page.locator('#forecast h2').isVisible());
  assert.deepEqual(page.complaints, []);
});

test('dates are dates, under the pointer and on the axis', async () => {
  const page = await open(browser, dated);
  const box = await boxOf(page, '[data-figure="fit"] .u-over');
  await page.mouse.move(box.x + 5, box.y + box.height / 2);
  assert.match(await page.locator('[data-figure="fit"] .tip b').innerText(), /^day: 2019-0[23]-\d\d$/);
  const whole = await scaleOf(page, 'fit');
  assert.equal(new Date(whole[0] * 1000).getUTCFullYear(), 2019);
  assert.deepEqual(page.complaints, []);
});

test('a kernel stands beside its dot in the figure of the search', async () => {
  const page = await open(browser, one);
  const data = await dataOf(page);
  const best = data.search.history.reduce((a, b) => (b.value > a.value ? b : a));
  const at = await page.evaluate(([x, y]) => {
    const {plot} = document.querySelector('[data-figure="by-evaluation"]');
    return [plot.valToPos(x, 'x'), plot.valToPos(y, 'y')];
  }, [best.index + 1, best.value / data.rows]);
  const box = await boxOf(page, '[data-figure="by-evaluation"] .u-over');
  await page.mouse.move(box.x + at[0], box.y + at[1]);
  assert.equal(await page.locator('[data-figure="by-evaluation"] .tip code').innerText(), best.kernel);
});

test('dragging zooms, a double click and the button show all again', async () => {
  const page = await open(browser, one);
  const whole = await scaleOf(page, 'fit');
  const box = await boxOf(page, '[data-figure="fit"] .u-over');
  const drag = async () => {
    await page.mouse.move(box.x + box.width * 0.3, box.y + box.height * 0.5);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.5, box.y + box.height * 0.5, {steps: 5});
    await page.mouse.up();
  };
  await drag();
  const zoomed = await scaleOf(page, 'fit');
  const span = whole[1] - whole[0];
  assert.ok(Math.abs((zoomed[1] - zoomed[0]) / span - 0.2) < 0.03, `${zoomed} of ${whole}`);
  assert.ok(Math.abs((zoomed[0] - whole[0]) / span - 0.3) < 0.03, `${zoomed} of ${whole}`);
  await page.mouse.dblclick(box.x + box.width * 0.5, box.y + box.height * 0.5);
  assert.deepEqual(await scaleOf(page, 'fit'), whole);
  await drag();
  await page.locator('[data-figure="fit"] .reset').click();
  assert.deepEqual(await scaleOf(page, 'fit'), whole);
  assert.equal(await page.locator('[data-figure="fit"] .reset').isVisible(), false);
  assert.deepEqual(page.complaints, []);
});

test('the keyboard reaches figures, moves along them and zooms', async () => {
  const page = await open(browser, one);
  const whole = await scaleOf(page, 'fit');
  await page.locator('[data-figure="fit"] .live').focus();
  await page.keyboard.press('ArrowRight');
  const tip = page.locator('[data-figure="fit"] .tip');
  assert.ok(await tip.isVisible());
  const first = await tip.innerText();
  for (let i = 0; i < 12; ++i) await page.keyboard.press('ArrowRight');
  assert.notEqual(await tip.innerText(), first);
  await page.keyboard.press('+');
  const zoomed = await scaleOf(page, 'fit');
  assert.ok(zoomed[1] - zoomed[0] < 0.8 * (whole[1] - whole[0]));
  await page.keyboard.press('0');
  assert.deepEqual(await scaleOf(page, 'fit'), whole);
});

test('a heat map tells the value of the cell under the pointer', async () => {
  const page = await open(browser, several);
  const {maps} = await dataOf(page);
  const box = await boxOf(page, `[data-map="${maps.at(-1).id}"] svg`);
  await page.mouse.move(box.x + box.width * 0.5, box.y + box.height * 0.5);
  const text = await page.locator(`[data-map="${maps.at(-1).id}"] .tip`).innerText();
  assert.match(text, /slag_and_cement .*and_age .*strength\s+−?\d/s);
});

test('the table of kernels is sorted by a click, and back by the next', async () => {
  const page = await open(browser, one);
  const column = (number) => page.locator(`table.kernels tbody tr td:nth-child(${number})`).allInnerTexts();
  const isRising = (list) => list.every((value, i) => i === 0 || list[i - 1] <= value);
  const numbers = page.locator('table.kernels thead th').nth(0);
  await numbers.locator('button').click();
  assert.ok(isRising((await column(1)).map(Number)));
  assert.equal(await numbers.getAttribute('aria-sort'), 'ascending');
  await numbers.locator('button').press('Enter');
  assert.ok(isRising((await column(1)).map(Number).reverse()));
  assert.equal(await numbers.getAttribute('aria-sort'), 'descending');
  await page.locator('table.kernels thead th').nth(6).locator('button').click();
  const kernels = await page.locator('table.kernels tbody code').allInnerTexts();
  assert.ok(isRising(kernels.map((kernel) => kernel.toLowerCase())));
});

// Contrast by WCAG 2, of a colour on the first background that is not transparent.
const contrastOf = (page, selector) => page.evaluate((query) => {
  const channels = (colour) => colour.match(/[\d.]+/g).map(Number);
  const luminance = (colour) => {
    const [r, g, b] = channels(colour).map((v) => {
      const c = v / 255;
      return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const element = document.querySelector(query);
  let ground = element;
  while (/^(transparent|rgba\(.*, 0\))$/.test(getComputedStyle(ground).backgroundColor)) ground = ground.parentElement;
  const style = getComputedStyle(element);
  const [a, b] = [luminance(style.color), luminance(getComputedStyle(ground).backgroundColor)].sort((x, y) => y - x);
  return (a + 0.05) / (b + 0.05);
}, selector);

test('dark and light: by the system, by the switch, and readable in both', async () => {
  const ground = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const texts = ['h1', 'h1 em', '.lead', '.over', '.tiles span', '.intro', '.legend li', 'summary', '.facts dt', 'thead th', '.bar nav a', '.theme'];
  for (const colorScheme of ['light', 'dark']) {
    const page = await open(browser, one, {colorScheme});
    const before = await ground(page);
    assert.equal(before === 'rgb(250, 249, 246)', colorScheme === 'light', before);
    for (let turn = 0; turn < 2; ++turn) {
      for (const selector of texts) {
        const contrast = await contrastOf(page, selector);
        assert.ok(contrast >= 4.5, `${selector} has a contrast of ${contrast.toFixed(2)} (${colorScheme}, turn ${turn})`);
      }
      if (turn === 0) await page.locator('.theme').click();
    }
    assert.notEqual(await ground(page), before);
    assert.ok(await inkOf(page, 'fit') > 500);
    await page.reload();  // the choice is remembered
    assert.notEqual(await ground(page), before);
    assert.deepEqual(page.complaints, []);
  }
});

test('dark is the same by the system and by the switch', async () => {
  const coloursOf = (page) => page.evaluate(() => {
    const style = getComputedStyle(document.documentElement);
    const root = [...document.styleSheets[0].cssRules].find((rule) => rule.selectorText === ':root');
    return [...root.style].filter((name) => name.startsWith('--')).map((name) => `${name}: ${style.getPropertyValue(name)}`);
  });
  const bySystem = await coloursOf(await open(browser, one, {colorScheme: 'dark'}));
  const page = await open(browser, one, {colorScheme: 'light'});
  const light = await coloursOf(page);
  await page.locator('.theme').click();
  assert.deepEqual(await coloursOf(page), bySystem);
  assert.ok(light.length > 20);
  assert.notDeepEqual(light, bySystem);
});

test('names in the data that look like markup stay names', async () => {
  const page = await open(browser, hostile);
  assert.equal(await page.locator('main b[onmouseover], main i:not(.key)').count(), 0);
  assert.ok((await page.locator('h1').innerText()).includes('<i>y</i>'));
  const data = await dataOf(page);
  assert.equal(data.inputs[0], HOSTILE);
  const box = await boxOf(page, '[data-figure="fit"] .u-over');
  await page.mouse.move(box.x + box.width * 0.4, box.y + box.height * 0.5);
  assert.ok((await page.locator('[data-figure="fit"] .tip').innerText()).includes('</script>'));
  assert.equal(await page.locator('.tip [onmouseover]').count(), 0);
  assert.deepEqual(page.complaints, []);
});

test('it prints to PDF with the drawings instead of the canvases', async () => {
  for (const file of [one, several, ahead]) {
    const page = await open(browser, file, {colorScheme: 'dark'});
    await page.emulateMedia({media: 'print'});
    assert.ok(await page.locator('[data-figure="fit"] > svg.static').isVisible());
    assert.equal(await page.locator('[data-figure="fit"] canvas').isVisible(), false);
    assert.equal(await page.locator('.bar').isVisible(), false);
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(255, 255, 255)');
    const pdf = await page.pdf({format: 'A4'});
    assert.equal(pdf.subarray(0, 5).toString(), '%PDF-');
    assert.ok(pdf.length > 50_000);
  }
});

test('for assistive technology: one h1, headings in order, names for all that can be reached', async () => {
  for (const file of [one, several, ahead]) {
    const page = await open(browser, file);
    const levels = await page.evaluate(() => [...document.querySelectorAll('h1,h2,h3,h4')].map((h) => Number(h.tagName[1])));
    assert.equal(levels.filter((level) => level === 1).length, 1);
    levels.forEach((level, i) => assert.ok(i === 0 || level <= levels[i - 1] + 1, `heading ${i} jumps to ${level}`));
    const nameless = await page.evaluate(() => [...document.querySelectorAll('[role=img],[role=group],button,a,nav')]
      .filter((e) => !e.getAttribute('aria-label') && !e.textContent.trim()).map((e) => e.outerHTML.slice(0, 80)));
    assert.deepEqual(nameless, []);
    const unscoped = await page.locator('th:not([scope])').count();
    assert.equal(unscoped, 0);
    const ids = await page.evaluate(() => [...document.querySelectorAll('[id]')].map((e) => e.id));
    assert.equal(new Set(ids).size, ids.length);
  }
});

test('on a telephone nothing is wider than the screen', async () => {
  for (const file of [one, several, ahead]) {
    const page = await open(browser, file, {viewport: {width: 390, height: 844}});
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= 390, `${width}`);
  }
});

test('on a telephone what is wider scrolls, and shows that it does', async () => {
  let numWider = 0;
  for (const file of [one, several, ahead]) {
    const page = await open(browser, file, {viewport: {width: 390, height: 844}});
    const found = await page.evaluate(() => {
      const scrollers = [...document.querySelectorAll('.scroll, .bar nav')];
      const cut = [...document.querySelectorAll('main table, main svg, main canvas, .bar a')].filter((element) => {
        const {left, right, width: size} = element.getBoundingClientRect();
        return size > 0 && (left < -0.5 || right > 390.5) && !element.closest('.scroll, .bar nav');
      });
      const wider = scrollers.filter((e) => e.scrollWidth > e.clientWidth + 1);
      const silent = wider.filter((e) => getComputedStyle(e).backgroundImage.split('linear-gradient').length < 5
        || !/auto|scroll/.test(getComputedStyle(e).overflowX));
      return {cut: cut.map((e) => e.outerHTML.slice(0, 60)), silent: silent.map((e) => e.outerHTML.slice(0, 60)), wider: wider.length};
    });
    assert.deepEqual(found.cut, []);
    assert.deepEqual(found.silent, []);
    numWider += found.wider;
  }
  assert.ok(numWider > 3, `${numWider}`);
});

test('numbers along the axes have room, also large ones on a small screen', async () => {
  for (const width of [390, 1280]) {
    const page = await open(browser, dated, {viewport: {width, height: 844}});
    const rooms = await page.evaluate(() => [...document.querySelectorAll('[data-figure]')].filter((e) => e.plot).map((e) => {
      const ruler = document.createElement('canvas').getContext('2d');
      ruler.font = e.plot.axes[1].font[0];
      const longest = Math.max(...e.plot.axes[1]._values.map((text) => ruler.measureText(text).width * 1));
      return {id: e.dataset.figure, room: e.plot.bbox.left, longest};
    }));
    for (const {id, room, longest} of rooms) assert.ok(room >= longest + 4, `${id}: ${longest} in ${room}`);
    assert.ok(Math.max(...rooms.map(({longest}) => longest)) > 50);
  }
});

test('what is far from all rows is faint or empty, and few values have nothing between them', async () => {
  const page = await open(browser, gapped);
  const data = await dataOf(page);
  const grade = data.figures.find(({id}) => id === 'effect-1');
  assert.ok(grade.is_by_value);
  assert.deepEqual(grade.grid, [0, 1, 2, 3]);
  assert.ok(await page.locator('[data-figure="effect-1"] > svg.static').isVisible());
  const size = data.figures.find(({id}) => id === 'effect-2');
  assert.equal(size.far.length, 1);
  assert.ok(size.far[0][0] > 99 && size.far[0][1] < 901, `${size.far}`);
  for (const map of data.maps) assert.ok(map.is_near.includes(0) && map.is_near.includes(1), map.id);
  // The line's ink is fainter there than where rows are.
  const strongest = await page.evaluate(([low, high]) => {
    const frame = document.querySelector('[data-figure="effect-2"]');
    const {plot} = frame;
    const canvas = frame.querySelector('canvas');
    const {data: pixels, width} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const darkest = (x) => {
      let least = 255;
      const column = Math.round(plot.valToPos(x, 'x', true));
      for (let y = Math.round(plot.bbox.top); y < plot.bbox.top + plot.bbox.height - 12; ++y) {
        const at = 4 * (y * width + column);
        if (pixels[at + 3] > 200) least = Math.min(least, pixels[at]);
      }
      return least;
    };
    return [darkest((low + high) / 2), darkest(low / 2)];
  }, size.far[0]);
  assert.ok(strongest[0] > strongest[1] + 60, `${strongest}`);
  assert.deepEqual(page.complaints, []);
});

test('what holds outside of the sample comes first', async () => {
  for (const file of [one, several, ahead]) {
    const page = await open(browser, file);
    const labels = await page.locator('.tiles dt').allInnerTexts();
    assert.equal(labels[0], file === ahead ? 'backtest R²' : 'leave-one-out R²');
    assert.ok(labels.indexOf('leave-one-out R²') < labels.indexOf('inside the sample'), `${labels}`);
    const lead = await page.locator('.lead').innerText();
    assert.ok(lead.indexOf('leave-one-out') >= 0 && lead.indexOf('leave-one-out') < lead.indexOf('Inside the sample'), lead);
  }
});

test('numbers along an axis stand apart, and are two at least beside it', async () => {
  for (const file of [one, dated, gapped, large]) {
    for (const width of [390, 1280]) {
      const page = await open(browser, file, {viewport: {width, height: 844}});
      const found = await page.evaluate(() => [...document.querySelectorAll('[data-figure]')].filter((e) => e.plot).map((e) => {
        const ruler = document.createElement('canvas').getContext('2d');
        ruler.font = `12px ${getComputedStyle(document.documentElement).getPropertyValue('--sans')}`;
        const [x, y] = e.plot.axes;
        const ends = x._splits.map((split, i) => {
          const half = ruler.measureText(x._values[i]).width / 2;
          return [e.plot.valToPos(split, 'x') - half, e.plot.valToPos(split, 'x') + half];
        });
        const gaps = ends.slice(1).map(([left], i) => left - ends[i][1]);
        return {id: e.dataset.figure, gap: Math.min(Infinity, ...gaps), beside: y._values.filter((text) => text).length};
      }));
      for (const {id, gap, beside} of found) {
        assert.ok(gap > 3, `${id} of ${file} at ${width}: ${gap}`);
        assert.ok(beside >= 2, `${id} of ${file} at ${width} has ${beside}`);
      }
    }
  }
});

test('words in drawings can be read on a telephone', async () => {
  let numSeen = 0;
  for (const file of [gapped, named, several]) {
    const page = await open(browser, file, {viewport: {width: 390, height: 844}});
    const sizes = await page.evaluate(() => [...document.querySelectorAll('svg.static text')].filter((e) => e.checkVisibility()).map((e) => {
      const svg = e.closest('svg');
      return {text: e.textContent, size: parseFloat(getComputedStyle(e).fontSize) * svg.clientWidth / svg.viewBox.baseVal.width};
    }));
    for (const {text, size} of sizes) assert.ok(size > 8, `${text}: ${size}`);
    numSeen += sizes.length;
  }
  assert.ok(numSeen > 40, `${numSeen}`);
});

test('names in the tree are inside of their boxes, titles beside their numbers', async () => {
  for (const width of [390, 1280]) {
    const page = await open(browser, named, {viewport: {width, height: 844}});
    const [outside, below] = await page.evaluate(() => [
      [...document.querySelectorAll('.tree .leaf')].filter((box) => {
        const [a, b] = [box, box.nextElementSibling].map((e) => e.getBoundingClientRect());
        return b.left < a.left + 1 || b.right > a.right - 1;
      }).length,
      [...document.querySelectorAll('.part > header')].filter((header) =>
        header.querySelector('h3').getBoundingClientRect().top > header.querySelector('.count').getBoundingClientRect().bottom).length]);
    assert.equal(outside, 0);
    assert.equal(below, 0);
    assert.ok(await page.locator('.tree .name', {hasText: 'MAT32'}).count() > 0);
  }
});

test('a heat map shows the whole of the dots at its edges', async () => {
  const page = await open(browser, gapped);
  assert.ok(await page.locator('.map svg .dots.rows').count() > 0);
  assert.equal(await page.locator('.map svg [clip-path] .dots').count(), 0);
});

test('effects are on one scale, at one height, whether drawn at values or as curves', async () => {
  const page = await open(browser, gapped);
  const heights = await page.evaluate(() => {
    const places = [];
    for (const id of ['effect-1', 'effect-2']) {
      const frame = document.querySelector(`[data-figure="${id}"]`);
      const {plot} = frame;
      const svg = frame.querySelector('svg.static');
      const [, , top, bottom] = svg.dataset.room.split(' ').map(Number);
      const scale = svg.clientWidth / svg.viewBox.baseVal.width;
      places.push(plot ? [plot.bbox.top, plot.bbox.top + plot.bbox.height].map((y) => y / devicePixelRatio) : [top * scale, bottom * scale]);
    }
    return places;
  });
  const [few, curve] = heights;
  assert.ok(Math.abs(few[0] - curve[0]) < 4 && Math.abs(few[1] - curve[1]) < 4, `${heights}`);
});

test('changes that are factors are said to be in percent, others are not', async () => {
  for (const file of [logged, large]) {
    const page = await open(browser, file);
    const words = await page.locator('#inputs .intro').nth(1).innerText();
    assert.equal(/changes, in percent, along each input/.test(words), file === logged, words);
    assert.ok((await page.locator('.effects .card').count()) > 0);
  }
});
