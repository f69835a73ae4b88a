// Room for what stands along an axis.
import {isCalendar, scaleOf, tickText} from './format.js';

export const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// Steps of 1, 2 and 5, as the static drawings have them.
export const STEPS = [];
for (let power = -12; power <= 12; ++power) STEPS.push(...[1, 2, 5].map((n) => Number(`${n}e${power}`)));

const ruler = document.createElement('canvas').getContext('2d');

function textWidth(text) {
  ruler.font = `12px ${css('--sans')}`;
  return ruler.measureText(text).width;
}

// Room for the longest number along the axis, and for half of the last one beyond its end.
export const roomBeside = (_, values) => Math.max(52, 12 + Math.max(0, ...(values ?? []).map(textWidth)));

// Between two numbers along the axis: no less than the longer of those at its ends needs.
export const roomAlong = (axis, least) => (_, __, low, high, size) => {
  const wanted = (high - low) * least / Math.max(size, 1);
  const step = isCalendar(axis) ? wanted : STEPS.find((one) => one >= wanted) ?? wanted;
  return Math.max(least, 12 + Math.max(...[low, high].map((value) => textWidth(tickText(axis, value, step)))));
};

export function roomAtEnd(axis) {
  const step = (axis.high - axis.low) * scaleOf(axis) / 5;
  return Math.max(12, 4 + textWidth(tickText(axis, axis.high * scaleOf(axis), step)) / 2);
}
