// The page is complete without this script: it makes figures answer to the pointer and the
// keyboard, tables sortable, and adds the switch between light and dark.
import {makePlots} from './plot.js';
import {makeMaps} from './map.js';
import {makeTablesSortable} from './table.js';
import {makeThemeSwitch} from './theme.js';

const report = JSON.parse(document.getElementById('report-data').textContent);
document.documentElement.classList.add('has-script');
const plots = makePlots(report.figures);
makeMaps(report.maps);
makeTablesSortable();
makeThemeSwitch(() => plots.forEach((plot) => plot.redraw(false)));
