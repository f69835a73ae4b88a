import {numberText, valueText} from './format.js';
import {Tip} from './tip.js';

// Values of a heat map's cells under the pointer, or by the arrow keys.
function makeMap(frame, map) {
  const svg = frame.querySelector('svg');
  const [left, right, top, bottom] = svg.dataset.room.split(' ').map(Number);
  const columns = map.x_places.length;
  const rows = map.y_places.length;
  const tip = new Tip(frame);
  const cell = document.createElement('div');
  cell.className = 'cell';
  frame.append(cell);
  let at = [Math.floor(columns / 2), Math.floor(rows / 2)];

  const show = (i, j) => {
    at = [i, j];
    const scale = svg.clientWidth / svg.viewBox.baseVal.width;
    const width = (right - left) / columns * scale;
    const height = (bottom - top) / rows * scale;
    const x = left * scale + i * width;
    const y = bottom * scale - (j + 1) * height;
    Object.assign(cell.style, {left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${height}px`});
    const place = i * rows + j;
    const isNear = !map.is_near.length || map.is_near[place];
    const lines = isNear ? [[map.value_label, numberText(map.values[place], 3)]] : [['no rows near', '']];
    if (isNear && map.interaction.length) {
      const part = map.interaction[place];
      lines.push(['of it, interaction', (part > 0 ? '+' : '') + numberText(part, 2)]);
    }
    const title = `${map.x.label} ${valueText(map.x, map.x_places[i])}, ${map.y.label} ${valueText(map.y, map.y_places[j])}`;
    tip.show(x + width / 2, y, title, lines);
  };

  svg.addEventListener('pointermove', (event) => {
    const box = svg.getBoundingClientRect();
    const scale = box.width / svg.viewBox.baseVal.width;
    const i = Math.floor((event.clientX - box.left - left * scale) / ((right - left) * scale) * columns);
    const j = Math.floor((bottom * scale - (event.clientY - box.top)) / ((bottom - top) * scale) * rows);
    if (i < 0 || j < 0 || i >= columns || j >= rows) tip.hide();
    else show(i, j);
  });
  svg.addEventListener('pointerleave', () => tip.hide());
  svg.setAttribute('tabindex', '0');
  svg.addEventListener('focus', () => {
    if (svg.matches(':focus-visible')) show(...at);
  });
  svg.addEventListener('blur', () => tip.hide());
  svg.addEventListener('keydown', (event) => {
    const step = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowDown: [0, -1], ArrowUp: [0, 1]}[event.key];
    if (!step) return;
    const within = (value, count) => Math.max(0, Math.min(count - 1, value));
    show(within(at[0] + step[0], columns), within(at[1] + step[1], rows));
    event.preventDefault();
  });
}

export function makeMaps(maps) {
  for (const map of maps) {
    const frame = document.querySelector(`[data-map="${CSS.escape(map.id)}"]`);
    if (frame) makeMap(frame, map);
  }
}
