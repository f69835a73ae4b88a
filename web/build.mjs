// Builds the pages, each one file with its parts, style and script: dist/report.html, the template of
// reports, and dist/live.html, which follows a running search.
//   node build.mjs [FOLDER]
import {createHash} from 'node:crypto';
import {mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

import {build} from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const read = (name) => readFileSync(join(here, 'src', name), 'utf8');

async function bundle(entry, options) {
  const result = await build({
    entryPoints: [join(here, 'src', entry)],
    bundle: true,
    minify: true,
    write: false,
    charset: 'utf8',
    legalComments: 'none',
    ...options,
  });
  return result.outputFiles[0].text.trim();
}

// What would end the element early, or be taken for a slot of the template.
function check(name, text) {
  for (const bad of ['</script', '</style', '<!--', '{{']) {
    if (text.includes(bad)) throw new Error(`${name} holds ${bad}, which must not stand in a page`);
  }
  return text;
}

const uplot = join(here, 'node_modules', 'uplot');
const version = JSON.parse(readFileSync(join(uplot, 'package.json'), 'utf8')).version;
const license = readFileSync(join(uplot, 'LICENSE'), 'utf8').trim();
const notice = `/*! uPlot ${version}\n${license}\n*/\n`;

const style = check('style.css', await bundle('style.css', {}));

async function buildPage(template, entry) {
  const script = check(entry, notice + (await bundle(entry, {format: 'iife', target: 'es2020'})));
  const digest = createHash('sha256').update(script).digest('base64');
  return read(template)
    .replace(/^[ \t]*<!-- part: ([a-z_]+) -->\n/gm, (_, name) => read(`${name}.html`))
    .replace('SCRIPT_HASH', () => `'sha256-${digest}'`)
    .replace('<!-- style -->', () => `<style>${style}</style>`)
    .replace('<!-- script -->', () => `<script>${script}</script>`);
}

const folder = process.argv[2] ?? join(here, 'dist');
mkdirSync(folder, {recursive: true});
writeFileSync(join(folder, 'report.html'), await buildPage('report.html', 'main.js'));
writeFileSync(join(folder, 'live.html'), await buildPage('live.html', 'live.js'));
