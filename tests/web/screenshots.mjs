// Pictures of reports for docs/images.
//   node tests/web/screenshots.mjs ONE_INPUT/report.html SEVERAL_INPUTS/report.html FOLDER
import {join, resolve} from 'node:path';

import {launch, open} from './browser.mjs';

const [one, several, folder] = process.argv.slice(2).map((path) => resolve(path));
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
await browser.close();
