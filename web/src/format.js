const SECONDS_PER_DAY = 86400;

// Places on an axis are drawn in seconds for both kinds of dates.
export const scaleOf = (axis) => (axis.type === 'date' ? SECONDS_PER_DAY : 1);
export const isCalendar = (axis) => axis.type === 'date' || axis.type === 'date_time';

const minus = (text) => text.replace('-', '−');

export function numberText(value, digits = 4) {
  if (!Number.isFinite(value)) return '–';
  const size = Math.abs(value);
  if (size >= 10 ** digits && size < 1e9) return minus(value.toFixed(0));
  if (size !== 0 && (size < 1e-4 || size >= 1e9)) return minus(value.toExponential(digits - 1));
  return minus(String(Number(value.toPrecision(digits))));
}

// `seconds` since 1970 as far as a step of the axis can tell apart.
export function calendarText(seconds, step) {
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) return numberText(seconds);
  const iso = date.toISOString();
  const day = iso.slice(0, iso.indexOf('T'));
  if (step >= 360 * SECONDS_PER_DAY) return day.slice(0, -6);
  if (step >= 27 * SECONDS_PER_DAY) return day.slice(0, -3);
  if (step >= SECONDS_PER_DAY) return day;
  const time = iso.slice(iso.indexOf('T') + 1);
  return step >= 60 ? time.slice(0, 5) : time.slice(0, 8);
}

export function tickText(axis, value, step) {
  if (isCalendar(axis)) return calendarText(value, step);
  if (Math.abs(value) >= 1e6 || step < 1e-4) return numberText(value);
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  return minus((value === 0 ? 0 : value).toFixed(decimals));
}

// A value of the axis in the report's own unit, as people read it.
export function valueText(axis, value) {
  if (axis.type === 'category') return axis.levels[Math.round(value)] ?? '–';
  if (axis.type === 'date') return calendarText(Math.round(value) * SECONDS_PER_DAY, SECONDS_PER_DAY);
  if (axis.type === 'date_time') return new Date(value * 1000).toISOString().slice(0, 19).replace('T', ' ');
  // A thousandth of the axis is told apart, also where its numbers are far from zero: 1961.08.
  const decimals = 3 - Math.floor(Math.log10(axis.high - axis.low));
  if (!(decimals >= 0 && decimals <= 6) || Math.abs(value) >= 1e9) return numberText(value);
  return minus(String(Number(value.toFixed(decimals))));
}
