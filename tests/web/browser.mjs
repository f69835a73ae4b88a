// What the browser tests share: a program that makes runs, and a Chromium that opens their reports.
import {execFileSync, spawn} from 'node:child_process';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

// playwright-core is installed beside web/package.json.
const {chromium} = createRequire(new URL('../../web/package.json', import.meta.url))('playwright-core');

// As root, without a screen, and without a word to anybody.
const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync'];

export const launch = () =>
  chromium.launch({executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: FLAGS});

export const folder = mkdtempSync(join(tmpdir(), 'covary_web_'));
process.on('exit', () => rmSync(folder, {recursive: true, force: true}));

// Searches a table of `columns`: a name and a function of the row's number each, the target last.
export function makeReport(name, columns, numRows, options = [], command = 'search') {
  const quoted = (text) => `"${String(text).replaceAll('"', '""')}"`;
  const lines = [columns.map(([title]) => quoted(title)).join(',')];
  for (let i = 0; i < numRows; ++i) lines.push(columns.map(([, value]) => value(i)).join(','));
  const table = join(folder, `${name}.csv`);
  const run = join(folder, name);
  writeFileSync(table, lines.join('\n') + '\n');
  execFileSync(process.env.COVARY, [command, table, '--target', columns.at(-1)[0], '--out', run,
    '--quiet', '--restarts', '3', '--threads', '1', ...options]);
  return join(run, 'report.html');
}

// Starts a search that can be watched, and waits for its address; `ended` is its exit code.
export async function watchSearch(table, target, run, options = []) {
  const child = spawn(process.env.COVARY, ['search', table, '--target', target, '--watch', '--threads', '1',
    '--out', run, ...options]);
  const ended = new Promise((resolve) => child.on('exit', resolve));
  let words = '';
  const address = await new Promise((resolve, reject) => {
    child.stderr.on('data', (data) => {
      words += data;
      const found = words.match(/watch the search at (http:\/\/127\.0\.0\.1:\d+\/)/);
      if (found) resolve(found[1]);
    });
    ended.then(() => reject(new Error(words)));
  });
  return {child, ended, address};
}

// A page that remembers everything it should not have done.
export async function open(browser, file, options = {}) {
  const context = await browser.newContext({viewport: {width: 1280, height: 900}, ...options});
  const page = await context.newPage();
  page.complaints = [];
  page.on('console', (message) => page.complaints.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => page.complaints.push(`error: ${error.message}`));
  page.on('dialog', async (dialog) => {
    page.complaints.push(`dialog: ${dialog.message()}`);
    await dialog.dismiss();
  });
  page.on('request', (request) => {
    const {protocol, pathname} = new URL(request.url());
    const isOwn = protocol === 'data:' || (protocol === 'file:' && pathname === file);
    if (!isOwn) page.complaints.push(`request: ${request.url()}`);
  });
  await page.goto(`file://${file}`);
  return page;
}
