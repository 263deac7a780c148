// Stores a day's use by proxy user, network and host name.

import { METERED_TYPES } from '../../../lib/product-types.ts';
import { DAY } from '../../../lib/time.ts';
import {
  type LogSummaryStore,
  MAX_USE_ROWS,
  TOP_KINDS,
  USE_COUNTERS,
  type UseDay,
  type UsePass,
  type UsePassEnd,
  type UseQuery,
  type UseSum,
  type UseSums,
} from '../../log-summary-store.ts';
import { createListings } from '../accounts/listings.ts';
import type { Database } from '../file/database.ts';
import type { RowOf } from '../row.ts';
import { deleteInSlices, SLICE_ROWS, walkSlices } from '../slices.ts';
import { createUseCounters, hasCounter } from './counters.ts';
import { createUsePasses } from './pass.ts';
import { createUseNames, createUseRows } from './rows.ts';
import { createUseSettling } from './settle.ts';

/** The days whose use decides about the top names. */
const TOP_DAYS = 7;
/** Rows that a slice sums, for some milliseconds of CPU. */
const SUMMED_ROWS = 2_000;
const MOST = Number.MAX_SAFE_INTEGER;
const NAMED = ['user', 'network', 'hostname'] as const;
/** The number of values, and the position of the charged bytes among them. */
const VALUES = USE_COUNTERS.length;
const CHARGED = USE_COUNTERS.indexOf('chargedBytes');

type SummedRow = readonly [user: number, network: number, hostname: number, ...values: (number | null)[]];

export const createLogSummaryStore = (db: Database, maxRows = MAX_USE_ROWS): LogSummaryStore => {
  const { sql } = db;
  const [rows, names] = [createUseRows(db), createUseNames(db)];
  const counters = createUseCounters(db, names);
  const listings = createListings(db, 'usage');
  const passes = createUsePasses(db, rows, names);
  const settle = createUseSettling(db, { rows, names, counters, listings });
  const daysOf = sql.prepare<[number], RowOf<UseDay>>(
    `SELECT day, readAt, iif(isDeleted, 0, rows) AS rows, isDeleted FROM (
       SELECT day, read_at AS readAt, rows, is_deleted OR (rows > 0 AND NOT EXISTS (
         SELECT 1 FROM log_summary WHERE account_id = of.account_id AND day = of.day)) AS isDeleted
       FROM log_summary_day AS of WHERE account_id = ?) ORDER BY day`,
  );
  const daysIn = (accountId: number): UseDay[] =>
    db.read(() => daysOf.all(accountId)).map((each) => ({ ...each, isDeleted: each.isDeleted === 1 }));
  const countRows = db.prepareValue<[number, number], number>(
    'SELECT count(*) FROM log_summary WHERE account_id = ? AND day = ?',
  );
  const markDeleted = sql.prepare<[number, number]>(
    'UPDATE log_summary_day SET is_deleted = 1, rows = 0, listed_rows = 0 WHERE account_id = ? AND day = ?',
  );
  const deleteNames = sql.prepare(
    `DELETE FROM log_summary_name WHERE account_id = ? AND seen_day < ? LIMIT ${SLICE_ROWS}`,
  );
  const deleteRows = sql.prepare<[number, number]>(
    `DELETE FROM log_summary WHERE account_id = ? AND day = ? LIMIT ${SLICE_ROWS}`,
  );
  const rowsAfter = sql
    .prepare<unknown[], SummedRow>(
      `SELECT user, network, hostname, bytes, requests, charged_bytes, charged_requests FROM log_summary
       WHERE account_id = ? AND day = ? AND user <= ? AND (user, network, hostname) > (?, ?, ?)
       ORDER BY user, network, hostname LIMIT ${SUMMED_ROWS}`,
    )
    .raw();

  const sums = async (
    accountId: number,
    query: UseQuery,
    visit?: (sum: UseSum) => void,
  ): Promise<UseSums> => {
    const [wanted, metered] = db.read(() => [
      NAMED.map((name) =>
        query[name] === undefined ? undefined : (names.idOf(accountId, query[name]) ?? 0),
      ),
      METERED_TYPES.map((type) => names.idOf(accountId, type)),
    ]);
    const groups = new Map<number, Numbers>();
    for (const { day } of daysIn(accountId)) {
      if (day < query.from || day > query.to) continue;
      const [user] = wanted;
      const start = user === undefined ? [0, 0, 0] : [user - 1, MOST, MOST];
      await walkSlices(start, (after) => {
        const slice = db.read(() => rowsAfter.all(accountId, day, user ?? MOST, ...after));
        for (const row of slice) {
          if (wanted.some((id, i) => id !== undefined && id !== row[i])) continue;
          const key = query.by === 'day' ? day : (row[NAMED.indexOf(query.by)] ?? 0);
          const sum = groups.get(key) ?? newNumbers();
          groups.set(key, sum);
          addRow(sum, row, metered.indexOf(row[1]));
        }
        return slice.at(-1)?.slice(0, NAMED.length) as number[] | undefined;
      });
    }
    const sorted = [...groups].sort(
      ([, a], [, b]) => (b[2] ?? b[0] ?? 0) - (a[2] ?? a[0] ?? 0) || (b[0] ?? 0) - (a[0] ?? 0),
    );
    const named = db.read(() =>
      sorted.slice(0, visit ? undefined : query.limit).map(([key, numbers]) => ({
        key: query.by === 'day' ? key : names.textOf(key),
        ...sumOf(numbers),
      })),
    );
    if (visit) for (const sum of named) visit(sum);
    const others = sorted.slice(query.limit);
    return {
      sums: named.slice(0, query.limit),
      others: others.length,
      rest: totalOf(others),
      total: totalOf(sorted),
    };
  };

  /** Chooses the top names of the last days. Their counters begin now. */
  const chooseTop = async (accountId: number, day: number, { top }: UsePassEnd): Promise<void> => {
    for (const kind of TOP_KINDS) {
      const query = { from: day - (TOP_DAYS - 1) * DAY, to: day, by: kind, limit: top[kind] };
      const chosen = (await sums(accountId, query)).sums.map(({ key }) => String(key)).filter(hasCounter);
      db.write(() => counters.replaceTop(accountId, kind, chosen, day));
    }
  };

  const deleteDay = async (accountId: number, day: number): Promise<void> => {
    // First of all, so that a day that is half deleted is never read again.
    db.write(() => markDeleted.run(accountId, day));
    await deleteInSlices(db, () => deleteRows.run(accountId, day).changes);
  };

  /** Deletes the oldest days above the limit of rows, and the names that no other day has. */
  const deleteSurplus = async (accountId: number): Promise<void> => {
    const days = daysIn(accountId).filter(({ isDeleted }) => !isDeleted);
    let surplus = days.reduce((sum, { rows: count }) => sum + count, 0) - maxRows;
    const left = days.find(({ day, rows: count }) => {
      const isKept = surplus <= 0 || day === days.at(-1)?.day;
      surplus -= count;
      return isKept;
    });
    for (const { day } of days) if (day < (left?.day ?? 0)) await deleteDay(accountId, day);
    if (left === days[0]) return;
    await deleteInSlices(db, () => deleteNames.run(accountId, left?.day).changes);
  };

  /** Rows of a day that maintenance has deleted would count again. */
  const begin = async (accountId: number, day: number): Promise<boolean> => {
    await passes.begin(accountId, day);
    const known = daysIn(accountId).find((each) => each.day === day);
    if (!known) return true;
    if (!known.isDeleted && db.read(() => countRows.get(accountId, day)) === known.rows) return true;
    await deleteDay(accountId, day);
    return false;
  };

  const end = async (accountId: number, pass: UsePass, passEnd: UsePassEnd): Promise<void> => {
    const isFirst = !daysIn(accountId).some(({ day, readAt }) => day === pass.day && readAt > 0);
    if (passEnd.isComplete && !passEnd.lacksRows) await passes.findMissing(accountId, pass);
    try {
      await settle({ accountId, pass, end: passEnd });
    } catch (error) {
      counters.forget();
      throw error;
    }
    if (!passEnd.isToday || !passEnd.isComplete) return;
    const isFull = TOP_KINDS.some((kind) => counters.topNames(accountId, kind).length > passEnd.top[kind]);
    if (isFirst || isFull) await chooseTop(accountId, pass.day, passEnd);
    await deleteSurplus(accountId);
  };

  return {
    begin: async (account, day) => begin(db.accountId(account), day),
    saveRows: async (account, pass, uses) => passes.saveRows(db.accountId(account), pass, uses),
    end: async (account, pass, passEnd) => end(db.accountId(account), pass, passEnd),
    days: async (account) => daysIn(db.knownAccountId(account)),
    counters: db.readOf((accountId) => ({
      storedAt: listings.of(accountId).storedAt,
      groups: counters.all(accountId),
    })),
    sums: async (account, query, visit) => sums(db.knownAccountId(account), query, visit),
  };
};

/** The values, and then the charged bytes of each metered type. Null if no row has the number. */
type Numbers = (number | null)[];

const newNumbers = (): Numbers => [null, null, null, null, null, null];

/** `type` is the index of the metered type of the row; -1 for other types. */
const addRow = (sum: Numbers, row: SummedRow, type: number): void => {
  for (let i = 0; i < VALUES; i += 1) add(sum, i, row[NAMED.length + i] ?? null);
  if (type >= 0) add(sum, VALUES + type, row[NAMED.length + CHARGED] ?? null);
};

const add = (sum: Numbers, index: number, value: number | null): void => {
  if (value !== null) sum[index] = (sum[index] ?? 0) + value;
};

const sumOf = (numbers: Numbers): Omit<UseSum, 'key'> => ({
  values: numbers.slice(0, VALUES),
  charged: { residential: numbers[VALUES] ?? null, mobile: numbers[VALUES + 1] ?? null },
});

/** Null without groups. */
const totalOf = (groups: readonly (readonly [key: number, numbers: Numbers])[]) => {
  const total = newNumbers();
  for (const [, numbers] of groups) for (const [i, value] of numbers.entries()) add(total, i, value);
  return groups.length > 0 ? sumOf(total) : null;
};
