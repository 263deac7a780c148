// Adds to the use of a user, and takes corrections back, the newest hours first.

import type { LocalHour } from '../../../lib/local-days.ts';
import { METERED_TYPES } from '../../../lib/product-types.ts';
import type { UsedBytes } from '../../user-use-store.ts';
import type { Database } from '../file/database.ts';

export interface UseRow {
  readonly day: number;
  readonly residential: number;
  readonly mobile: number;
  readonly hours: Uint8Array | null;
}

export interface UseKey {
  readonly accountId: number;
  readonly mark: number;
}

interface UseMark extends UseKey {
  readonly days: number;
}

/** How much a change added to the sums over a user's rows, and how many days it searched. */
interface RowChange {
  readonly days: number;
  readonly bytes: number;
  readonly searched: number;
}

export const createUseRowStatements = ({ sql, prepareValue }: Database) => {
  const dayBefore = prepareValue<[number, number], number>(
    'SELECT day FROM user_use WHERE account_id = ? AND day < ? ORDER BY day DESC LIMIT 1',
  );
  return {
    rowOf: sql.prepare<[number, number, number], UseRow>(
      'SELECT day, residential, mobile, hours FROM user_use WHERE account_id = ? AND day = ? AND mark = ?',
    ),
    remove: sql.prepare<[number, number, number]>(
      'DELETE FROM user_use WHERE account_id = ? AND day = ? AND mark = ?',
    ),
    /** Finds the newest day with rows of an account before a day. It does not read the rows between. */
    dayBefore: (accountId: number, day: number): number | undefined => dayBefore.get(accountId, day),
  };
};

export const createUseRows = (db: Database) => {
  const { rowOf, remove, dayBefore } = createUseRowStatements(db);
  const put = db.sql.prepare('INSERT OR REPLACE INTO user_use VALUES (?, ?, ?, ?, ?, ?)');

  const addGrowth = (
    { accountId, mark }: UseMark,
    { day, index }: Pick<LocalHour, 'day' | 'index'>,
    growth: UsedBytes,
  ): RowChange => {
    const row = rowOf.get(accountId, day, mark);
    const hours: Hours = row?.hours ? unpackHours(row.hours) : new Map();
    hours.set(index, sumOf(hours.get(index) ?? NO_BYTES, growth));
    const { residential, mobile } = sumOf(row ?? NO_BYTES, growth);
    // The hours of a day are complete or not stored at all.
    const packed = row && row.hours === null ? null : packHours(hours);
    put.run(accountId, day, mark, residential, mobile, packed);
    return { days: row ? 0 : 1, bytes: growth.residential + growth.mobile, searched: 1 };
  };

  const takeBack = ({ accountId, mark, days: rows }: UseMark, correction: UsedBytes): RowChange => {
    let [left, found, days, bytes, searched] = [correction, 0, 0, 0, 0];
    let day: number | undefined = Number.MAX_SAFE_INTEGER;
    while (hasBytes(left) && found < rows) {
      day = dayBefore(accountId, day);
      if (day === undefined) break;
      searched += 1;
      const row = rowOf.get(accountId, day, mark);
      if (!row) continue;
      found += 1;
      const taken = lower(left, row);
      if (!hasBytes(taken)) continue;
      left = difference(left, taken);
      bytes -= taken.residential + taken.mobile;
      const kept = difference(row, taken);
      if (hasBytes(kept))
        put.run(accountId, day, mark, kept.residential, kept.mobile, lowerHours(row.hours, taken));
      else days -= remove.run(accountId, day, mark).changes;
    }
    return { days, bytes, searched };
  };

  return {
    /** Adds the growth of a user's counters, which may be negative, to an hour. Inside a transaction. */
    add: (user: UseMark, hour: Pick<LocalHour, 'day' | 'index'>, growth: UsedBytes): RowChange => {
      const [gained, lost] = [positive(growth), positive(difference(NO_BYTES, growth))];
      const added = hasBytes(gained) ? addGrowth(user, hour, gained) : NO_CHANGE;
      const counted = { ...user, days: user.days + added.days };
      const taken = hasBytes(lost) ? takeBack(counted, lost) : NO_CHANGE;
      return {
        days: added.days + taken.days,
        bytes: added.bytes + taken.bytes,
        searched: added.searched + taken.searched,
      };
    },
  };
};

const NO_CHANGE: RowChange = { days: 0, bytes: 0, searched: 0 };

/** Takes the bytes from the newest hours first. */
const lowerHours = (packed: Uint8Array | null, taken: UsedBytes): Uint8Array | null => {
  if (packed === null) return null;
  const hours = unpackHours(packed);
  let left = taken;
  for (const [hour, bytes] of [...hours].sort(([one], [other]) => other - one)) {
    const part = lower(left, bytes);
    hours.set(hour, difference(bytes, part));
    left = difference(left, part);
  }
  return packHours(hours);
};

const combine = (
  one: UsedBytes,
  other: UsedBytes,
  by: (one: number, other: number) => number,
): UsedBytes => ({
  residential: by(one.residential, other.residential),
  mobile: by(one.mobile, other.mobile),
});

export const sumOf = (one: UsedBytes, other: UsedBytes): UsedBytes => combine(one, other, (a, b) => a + b);
const difference = (one: UsedBytes, other: UsedBytes): UsedBytes => combine(one, other, (a, b) => a - b);
const lower = (one: UsedBytes, other: UsedBytes): UsedBytes => combine(one, other, Math.min);
const positive = (bytes: UsedBytes): UsedBytes => combine(bytes, NO_BYTES, Math.max);
const hasBytes = (bytes: UsedBytes): boolean => METERED_TYPES.some((type) => bytes[type] > 0);

/** The use by the index of the hour in its day. Hours without use are missing. */
type Hours = Map<number, UsedBytes>;

export const NO_BYTES: UsedBytes = { residential: 0, mobile: 0 };

/** The lower bits are the hour, which is at most 24. Each higher bit is a type. */
const HOUR_BITS = 5;
const HOUR_MASK = (1 << HOUR_BITS) - 1;
const BITS = { residential: 1 << HOUR_BITS, mobile: 2 << HOUR_BITS };

const packHours = (hours: Hours): Uint8Array => {
  const packed: number[] = [];
  for (const [hour, bytes] of hours) {
    const types = METERED_TYPES.filter((type) => bytes[type] > 0);
    if (types.length === 0) continue;
    packed.push(types.reduce((head, type) => head | BITS[type], hour));
    for (const type of types) packNumber(packed, bytes[type]);
  }
  return Uint8Array.from(packed);
};

export const unpackHours = (packed: Uint8Array): Hours => {
  const hours: Hours = new Map();
  visitHours(packed, (hour, residential, mobile) => hours.set(hour, { residential, mobile }));
  return hours;
};

/** Returns the sum of a range of hours by their indexes, both included. */
export const bytesBetween = (packed: Uint8Array, from: number, to: number): UsedBytes => {
  const sum = { ...NO_BYTES };
  visitHours(packed, (hour, residential, mobile) => {
    if (hour < from || hour > to) return;
    sum.residential += residential;
    sum.mobile += mobile;
  });
  return sum;
};

/** Makes no objects, because a ranking reads the hours of 100,000 users. */
const visitHours = (
  packed: Uint8Array,
  visit: (hour: number, residential: number, mobile: number) => void,
): void => {
  let at = 0;
  const readNumber = (): number => {
    let [value, factor] = [0, 1];
    for (let part = 0x80; part >= 0x80; factor *= 0x80) {
      part = packed[at++] ?? 0;
      value += (part & 0x7f) * factor;
    }
    return value;
  };
  while (at < packed.length) {
    const head = packed[at++] ?? 0;
    const residential = (head & BITS.residential) === 0 ? 0 : readNumber();
    const mobile = (head & BITS.mobile) === 0 ? 0 : readNumber();
    visit(head & HOUR_MASK, residential, mobile);
  }
};

/** Shifts would cut numbers above 32 bits. */
const packNumber = (packed: number[], value: number): void => {
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) packed.push(0x80 | (rest % 0x80));
  packed.push(rest);
};
