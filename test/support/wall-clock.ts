// Reads wall clocks of all time zones by Intl alone, independently of the code under test.

export const ZONES: readonly string[] = Intl.supportedValuesOf('timeZone');

export interface WallTime {
  readonly date: string;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly day: number;
  readonly month: number;
  /** 0 is Sunday. */
  readonly weekday: number;
}

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const formats = new Map<string, Intl.DateTimeFormat>();

const formatOf = (zone: string): Intl.DateTimeFormat => {
  const format =
    formats.get(zone) ??
    new Intl.DateTimeFormat('en-GB', {
      ...{
        timeZone: zone,
        hourCycle: 'h23',
        weekday: 'short',
        year: 'numeric',
        month: '2-digit',
        day: '2-digit',
      },
      ...{ hour: '2-digit', minute: '2-digit', second: '2-digit' },
    });
  formats.set(zone, format);
  return format;
};

/** Returns what clocks in the zone show at the instant (ms). */
export const wallTimeOf = (zone: string, at: number): WallTime => {
  const text = formatOf(zone).format(at);
  const match = /^(\w{3}), (\d\d)\/(\d\d)\/(\d{4}), (\d\d):(\d\d):(\d\d)$/.exec(text);
  if (!match) throw new Error(`not the expected format: ${text}`);
  const [, weekday = '', day, month, year, hour, minute, second] = match;
  return {
    date: `${year}-${month}-${day}`,
    hour: Number(hour),
    minute: Number(minute),
    second: Number(second),
    day: Number(day),
    month: Number(month),
    weekday: WEEKDAYS.indexOf(weekday),
  };
};

/** Returns the wall time as if it were UTC (ms). */
export const asUtc = ({ date, hour, minute, second }: WallTime): number =>
  Date.parse(`${date}T00:00:00Z`) + ((hour * 60 + minute) * 60 + second) * 1_000;

const QUARTER = 15 * 60_000;
const WEEK = 7 * 24 * 60 * 60_000;

const offsetOf = (zone: string, at: number): number => asUtc(wallTimeOf(zone, at)) - at;

/** Returns the instants from `from` to `to` at which clocks in the zone change; they are at least a week apart. */
export const changesOf = (zone: string, from: number, to: number): number[] => {
  const changes: number[] = [];
  for (let start = from; start < to; start += WEEK) {
    const after = offsetOf(zone, start + WEEK);
    if (after === offsetOf(zone, start)) continue;
    let [low, high] = [start / QUARTER, (start + WEEK) / QUARTER];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (offsetOf(zone, middle * QUARTER) === after) high = middle;
      else low = middle;
    }
    changes.push(high * QUARTER);
  }
  return changes;
};
