// Pictures for docs/images of two reports, and of a search while it runs (docs/how_to/make_the_pictures.md).
//   COVARY=build/bin/covary node tests/web/screenshots.mjs ONE_INPUT/report.html SEVERAL_INPUTS/report.html \
//     DATA.csv TARGET FOLDER
import {join, resolve} from 'node:path';

import {folder as work, launch, open, watchSearch} from './browser.mjs';

const [oneInput, severalInputs, data, target, images] = process.argv.slice(2);
const [one, several, folder] = [oneInput, severalInputs, images].map((path) => resolve(path));
const browser = await launch();

// From the top of one element to the bottom of another, with a margin.
async function shoot(file, name, colorScheme, first, last, margin = 14) {
  const page = await open(browser, file, {colorScheme, viewport: {width: 1180, height: 1000}, reducedMotion: 'reduce'});
  const top = await page.locator(first).first().evaluate((e) => e.getBoundingClientRect().top + scrollY);
  const bottom = await page.locator(last).evaluate((e) => e.getBoundingClientRect().bottom + scrollY);
  const y = Math.max(0, top - margin);
  await page.locator('.bar').evaluate((e) => { e.style.position = 'static'; });
  await page.screenshot({path: join(folder, name), fullPage: true, clip: {x: 0, y, width: 1180, height: bottom + margin - y}});
}

await shoot(one, 'report_one_input.png', 'light', '.bar', '#data .card');
await shoot(one, 'report_parts.png', 'light', '#parts h2', '#parts article:nth-of-type(3)');
await shoot(one, 'report_search.png', 'dark', '#search h2', 'table.rivals');
await shoot(several, 'report_several_inputs.png', 'dark', '#inputs h2', '#inputs .grid.two .card:nth-child(2)');

// More than half of a search: what is proposed stands above the initial kernels.
const {child, ended, address} = await watchSearch(data, target, join(work, 'live'), ['--max-leaves', '6']);
const page = await browser.newPage({viewport: {width: 1180, height: 1250}, reducedMotion: 'reduce'});
await page.goto(address);
await page.waitForFunction(() => document.querySelectorAll('#rows tr').length >= 40);
await page.screenshot({path: join(folder, 'search_live.png')});
child.kill('SIGINT');
await ended;
await browser.close();
