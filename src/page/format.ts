// Formats amounts and times for people, in the same way on the server and in the browser.

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const UNITS = [
  { ms: DAY, name: 'd' },
  { ms: HOUR, name: 'h' },
  { ms: MINUTE, name: 'min' },
];

/** Formats `ms` in the largest unit of which there are at least two, rounded down: `90 s`, `3 h`. Below 0 it is `0 s`. */
export const duration = (ms: number): string => {
  const unit = UNITS.find((candidate) => ms >= 2 * candidate.ms) ?? { ms: SECOND, name: 's' };
  return `${Math.max(0, Math.floor(ms / unit.ms))} ${unit.name}`;
};

/** Format the distance of a time from now: `3 h ago`, `in 3 h`, `due`, and `3 h` for what has gone on since. */
export const RELATIVE_TIMES = {
  ago: (at: number, now: number): string => `${duration(now - at)} ago`,
  ahead: (at: number, now: number): string => (at <= now ? 'due' : `in ${duration(at - now)}`),
  elapsed: (at: number, now: number): string => duration(now - at),
} as const;

export const utc = (at: number): string => `${withoutZone(at)} UTC`;

let isUtc = false;

export const showUtc = (): void => {
  isUtc = true;
};

/** Returns what is added to a time so that its UTC fields are those of the shown zone (ms). */
const zoneOffset = (at: number): number => (isUtc ? 0 : -new Date(at).getTimezoneOffset() * MINUTE);

/** Formats a time in the time zone of this machine, or in UTC if the reader prefers it: `2026-03-01 13:00:00`. */
export const local = (at: number): string => withoutZone(at + zoneOffset(at));

/** Returns the date of a time in a time zone, such as that of an account's days: `2026-03-01`. */
export const dateIn = (at: number, timeZone: string): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(at);

/** Joins dates of consecutive days: `2026-10-01 to 2026-10-03, 2026-10-09`. */
export const dateRanges = (dates: readonly string[]): string => {
  const ranges: [first: string, last: string][] = [];
  for (const date of dates) {
    const range = ranges.at(-1);
    if (range && Date.parse(date) - Date.parse(range[1]) <= DAY) range[1] = date;
    else ranges.push([date, date]);
  }
  return ranges.map(([first, last]) => (first === last ? first : `${first} to ${last}`)).join(', ');
};

/** Formats a time for an input of the type `datetime-local`: `2026-03-01T13:00`. */
export const toInput = (at: number): string => local(at).slice(0, 16).replace(' ', 'T');

/** Returns the time of such an input (ms); undefined if it is empty. */
export const fromInput = (value: string): number | undefined => {
  const at = Date.parse(isUtc ? `${value}Z` : value);
  return Number.isNaN(at) ? undefined : at;
};

const withoutZone = (at: number): string => new Date(at).toISOString().slice(0, 19).replace('T', ' ');

const BYTE_UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB', 'EB'];

/** Formats bytes in the largest decimal unit of which there is at least one, with three digits: `1.25 GB`, `998 B`. */
export const bytes = (amount: number): string => {
  const power = BYTE_UNITS.findLastIndex((_, unit) => Math.abs(amount) >= 1000 ** unit);
  // An amount that rounds to 1000 of a unit is 1 of the next unit.
  const next = Math.abs(amount) / 1000 ** power >= 999.5 ? 1 : 0;
  const unit = Math.min(Math.max(power + next, 0), BYTE_UNITS.length - 1);
  return `${digits(amount / 1000 ** unit)} ${BYTE_UNITS[unit]}`;
};

const digits = (amount: number): string => {
  const size = Math.abs(amount);
  if (Number.isInteger(amount) || size >= 99.95) return amount.toFixed(0);
  return amount.toFixed(size >= 9.995 ? 1 : 2);
};

export const count = (amount: number): string => amount.toLocaleString('en');

/** The daemon imports this module too, in which the words of the format would take 6 MB of memory. */
let compact: Intl.NumberFormat | undefined;

/** Formats large numbers with three digits: `1.25M`. */
export const compactCount = (amount: number): string => {
  compact ??= new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 });
  return compact.format(amount);
};

/** Formats an amount of money, which the provider gives in cents: `USD 1,234.50`. */
export const money = (cents: number, currency: string): string =>
  `${currency} ${(cents / 100).toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;

/** Rounds down, so that 100% means all, and shows a ratio above 0 never as 0%. */
export const percent = (ratio: number): string => {
  const tenths = Math.floor(ratio * 1000 + 1e-9) / 10;
  return ratio > 0 && tenths === 0 ? '< 0.1%' : `${tenths}%`;
};

export const seconds = (amount: number): string =>
  amount < 1 ? `${Math.round(amount * 1000)} ms` : `${amount.toFixed(1)} s`;
