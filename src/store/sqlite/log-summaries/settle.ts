// Settles what a pass changed: attributes it to names, counts it, and stores it.

import type { UsePass, UsePassEnd } from '../../log-summary-store.ts';
import { type NamedUse, type SettledUse, settleNames, type UseValues } from '../../summarised-names.ts';
import type { Listings } from '../accounts/listings.ts';
import type { Database } from '../file/database.ts';
import { SLICE_ROWS, walkSlices } from '../slices.ts';
import type { UseCounters } from './counters.ts';
import { answeredOf, groupOf, isSame } from './pass.ts';
import { STATE, type UseNames, type UseRow, type UseRows } from './rows.ts';

interface Settling {
  readonly accountId: number;
  readonly pass: UsePass;
  readonly end: UsePassEnd;
}

interface Slice extends Settling {
  /** Whether changes of the day count: it has ended after the baseline, or was whole once since. */
  readonly counts: boolean;
}

type Position = readonly [user: number, network: number, hostname: number];

interface SettleParts {
  readonly rows: UseRows;
  readonly names: UseNames;
  readonly counters: UseCounters;
  readonly listings: Listings;
}

export const createUseSettling = (db: Database, { rows, names, counters, listings }: SettleParts) => {
  const { sql } = db;
  const putDay = sql.prepare(
    `INSERT INTO log_summary_day (account_id, day, read_at, rows, listed_rows) VALUES (@accountId, @day, @readAt, @by, @listedBy)
     ON CONFLICT DO UPDATE SET read_at = max(read_at, excluded.read_at), rows = rows + excluded.rows,
       listed_rows = listed_rows + excluded.listed_rows`,
  );

  const readAtOf = db.prepareValue<[number, number], number>(
    'SELECT read_at FROM log_summary_day WHERE account_id = ? AND day = ?',
  );

  const countsOf = (accountId: number, day: number, dayEnd: number): boolean => {
    const { baselinedAt } = listings.of(accountId);
    return (
      baselinedAt !== null && (dayEnd > baselinedAt || (readAtOf.get(accountId, day) ?? 0) >= baselinedAt)
    );
  };

  /** Stores a row and returns its growth. */
  const store = ({ counts }: Slice, row: UseRow, settled: SettledUse, tally: Tally): UseValues => {
    const { counted, moved, isListed, isRemoved, misses } = settled;
    const before = row.state === STATE.new ? null : row.counted;
    tally.listed += Number(isListed) - Number(row.state === STATE.listed || row.state === STATE.missed);
    tally.rows += Number(!isRemoved) - Number(row.state !== STATE.new);
    const state = !isListed ? STATE.moved : misses > 0 ? STATE.missed : STATE.listed;
    if (isRemoved) rows.remove(row.id);
    else if (
      row.isChanged ||
      state !== row.state ||
      !isSame(counted, row.counted) ||
      !isSame(moved, row.moved)
    )
      rows.settle(row.id, state, counted, moved);
    return counted.map((after, i) => (after === null ? null : counts ? after - (before?.[i] ?? 0) : 0));
  };

  /** Settles rows whose names nothing else depends on, and whole groups of others. */
  const settle = (settling: Slice, group: readonly UseRow[], tally: Tally): void => {
    const hostnames = group.map(({ hostname }) => names.textOf(hostname));
    const settled = settleNames(group.map((row, i) => namedOf(row, hostnames[i] ?? '', settling.pass)));
    for (const [i, row] of group.entries()) {
      const growth = store(settling, row, settled[i] as SettledUse, tally);
      counters.note(row.network, { user: row.user, hostname: row.hostname }, growth);
    }
  };

  const wholeGroup = ({ accountId, pass, end }: Slice, { user, network }: UseRow): UseRow[] =>
    end.isComplete && !end.lacksRows ? rows.ofGroup(accountId, pass.day, user, network) : [];

  const settleSlice = (whole: Settling, after: Position): Position | undefined => {
    const { accountId, pass, end } = whole;
    const settling = { ...whole, counts: countsOf(accountId, pass.day, end.dayEnd) };
    const changed = rows.changedAfter(accountId, pass.day, ...after, SLICE_ROWS);
    const tally: Tally = { rows: 0, listed: 0 };
    let settledRows = 0;
    let last: Position | undefined;
    for (const row of changed) {
      const isWhole = pass.groups.has(groupOf(row.user, row.network));
      if (isWhole && last?.[0] === row.user && last[1] === row.network) continue;
      // Without all rows, it is not known which names a wider one has taken in.
      const group = isWhole ? wholeGroup(settling, row) : [row];
      settle(settling, group, tally);
      last = [row.user, row.network, isWhole ? Number.MAX_SAFE_INTEGER : row.hostname];
      settledRows += group.length;
      if (settledRows >= SLICE_ROWS) break;
    }
    counters.store(accountId, end, listings.heldUntil(accountId, end.now));
    recordDay(settling, tally, null);
    listings.recordPage(accountId, end.startedAt);
    return last;
  };

  const recordDay = ({ accountId, pass }: Settling, tally: Tally, readAt: number | null): void => {
    if (readAt === null && tally.rows === 0 && tally.listed === 0) return;
    putDay.run({ accountId, day: pass.day, readAt: readAt ?? 0, by: tally.rows, listedBy: tally.listed });
  };

  return async (settling: Settling): Promise<void> => {
    const { accountId, end } = settling;
    await walkSlices<Position>([0, 0, 0], (after) => db.write(() => settleSlice(settling, after)));
    if (!end.isComplete) return;
    db.write(() => {
      recordDay(settling, { rows: 0, listed: 0 }, end.startedAt);
      if (end.isToday) listings.markComplete(accountId, end.startedAt, end.now);
    });
  };
};

interface Tally {
  rows: number;
  listed: number;
}

const namedOf = (row: UseRow, hostname: string, pass: UsePass): NamedUse => {
  const isSeen = pass.marks.get(row.id) !== 0;
  const answered = row.isChanged ? row.next : answeredOf(row);
  const isNew = row.state === STATE.new;
  return {
    hostname,
    counted: isNew ? null : row.counted,
    moved: row.moved,
    answered: isSeen ? answered : null,
    wasListed: row.state === STATE.listed || row.state === STATE.missed,
    misses: Number(row.state === STATE.missed),
  };
};
