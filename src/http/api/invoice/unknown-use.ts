// Says which use of a month was not counted, and which was counted together with that of other days.

import { endOfDate, type Period } from '../../../lib/calendar.ts';
import { startOfLocalDay } from '../../../lib/local-days.ts';
import { DAY, HOUR, type Range } from '../../../lib/time.ts';
import type { UseDay } from '../../../store/user-use-store.ts';
import { rfc3339 } from '../item.ts';
import { MOST_LISTED, type Unknown, type UnknownPart, unknown } from './invoice-json.ts';

/** The listings around a midnight may be this far from it. The newest hour is stored only after its end. */
const EDGE_MS = HOUR;

interface Use {
  readonly json: { readonly deleted_users: number };
  /** The users that can be listed. */
  readonly first: readonly unknown[];
  /** The known days of the month, and the first one after it. */
  readonly days: readonly UseDay[];
  readonly next: UseDay | undefined;
}

/** `use` is undefined if the users are not polled. */
export const unknownUsers = (use: Use | undefined, zone: string, month: Period, now: number): Unknown => {
  if (!use) return [unknown('users', 'proxy_users is off')];
  const { json, first } = use;
  const end = Math.min(month.to, now - EDGE_MS);
  const { whole, parts } = uncounted(use, zone, month, end);
  return [
    ...(whole.size > 0 ? [unknown('users', 'the use of these days was not counted', [...whole])] : []),
    ...parts,
    ...countedTogether(use, zone, month, end, whole),
    ...(json.deleted_users > 0
      ? [unknown('users', `the use of ${json.deleted_users} users was deleted to save space`)]
      : []),
    ...(first.length >= MOST_LISTED
      ? [unknown('users', `only the ${MOST_LISTED} users with the most bytes are listed`)]
      : []),
  ];
};

/** Returns the periods up to `end` in which no use was counted. */
const gapsOf = ({ days, next }: Use, from: number, end: number): Range[] => {
  const counted = next ? [...days, next] : days;
  return [...counted.map(({ since }) => since), end].map((to, index) => ({
    from: counted[index - 1]?.until ?? from,
    to: Math.min(to, end),
  }));
};

/** Returns the dates of days without any counted use, and what is missing of other days. */
const uncounted = (use: Use, zone: string, month: Period, end: number) => {
  const whole = new Set<string>();
  const parts: UnknownPart[] = [];
  const gaps = gapsOf(use, month.from, end);
  for (const date of month.dates) {
    const day = { from: startOfLocalDay(zone, dayOf(date)), to: Math.min(endOfDate(zone, date), end) };
    for (const gap of gaps) {
      const [from, to] = [Math.max(gap.from, day.from), Math.min(gap.to, day.to)];
      if (to - from <= EDGE_MS) continue;
      const [isFromStart, isToEnd] = [from - day.from <= EDGE_MS, day.to - to <= EDGE_MS];
      if (isFromStart && isToEnd) whole.add(date);
      else
        parts.push(
          unknown('users', `the use ${spanOf(from, to, isFromStart, isToEnd)} was not counted`, [date]),
        );
    }
  }
  return { whole, parts };
};

const spanOf = (from: number, to: number, isFromStart: boolean, isToEnd: boolean): string => {
  if (isFromStart) return `before ${rfc3339(to)}`;
  return isToEnd ? `after ${rfc3339(from)}` : `from ${rfc3339(from)} to ${rfc3339(to)}`;
};

/** After a pause of the daemon, all use since the last listing before it counts for one hour. */
const countedTogether = (
  { days, next }: Use,
  zone: string,
  month: Period,
  end: number,
  whole: ReadonlySet<string>,
): UnknownPart[] => {
  const [first, last] = [days[0], days.at(-1)];
  const hasBegun = (date: string): boolean => startOfLocalDay(zone, dayOf(date)) < end;
  const known = new Set(days.map(({ day }) => day));
  const missing = month.dates.filter((date) => hasBegun(date) && !known.has(dayOf(date)) && !whole.has(date));
  const together = Map.groupBy(missing, (date) => days.find(({ day }) => day > dayOf(date))?.day);
  return [
    ...[...together].flatMap(([day, dates]) =>
      day === undefined
        ? []
        : [unknown('users', `the use of these days was counted together with ${dateOf(day)}`, dates)],
    ),
    ...(first && first.since < month.from - EDGE_MS
      ? [
          unknown(
            'users',
            `the use since ${rfc3339(first.since)}, before the ${month.unit}, was counted on this day`,
            [dateOf(first.day)],
          ),
        ]
      : []),
    ...(last && last.until > month.to + EDGE_MS
      ? [
          unknown(
            'users',
            `the use until ${rfc3339(last.until)}, after the ${month.unit}, was counted on this day`,
            [dateOf(last.day)],
          ),
        ]
      : []),
    ...(next && next.since < month.to - EDGE_MS
      ? [
          unknown(
            'users',
            `the use after ${rfc3339(Math.max(next.since, month.from))} was counted together with ${dateOf(next.day)}, after the ${month.unit}`,
            month.dates.filter((date) => endOfDate(zone, date) > next.since + EDGE_MS),
          ),
        ]
      : []),
  ];
};

const dayOf = (date: string): number => Date.parse(date) / DAY;
const dateOf = (day: number): string => new Date(day * DAY).toISOString().slice(0, 'YYYY-MM-DD'.length);
