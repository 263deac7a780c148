// Times that a clock far ahead left in the store, brought to the present once the clock is right again.

import { DAY, MINUTE } from '../../../lib/time.ts';
import type { Database } from '../file/database.ts';
import { BEGINS_AHEAD, createGraphTimes } from './present-graphs.ts';
import { createHolds } from './present-holds.ts';
import { createTableWalk, type SliceAfter } from './table-walk.ts';

/** A clock may be set back a little, which times that move forward only sit out. */
const TOLERANCE_MS = MINUTE;

/** The newest time of all that is written when something is read or asked. */
const NEWEST = `SELECT max(at) FROM (
  SELECT max(finished_at) AS at FROM run UNION ALL SELECT max(stored_at) FROM listing
  UNION ALL SELECT max(counted_at) FROM listing UNION ALL SELECT max(read_at) FROM graph
  UNION ALL SELECT max(floor) FROM graph WHERE ${BEGINS_AHEAD})`;

/** Times that no counter is held against, by table. */
const TIMES: readonly (readonly [table: string, ...columns: string[]])[] = [
  ['ledger_pace', 'since', 'at'],
  [
    'proxy_user',
    ...['residential_rated_since', 'residential_rated_at', 'mobile_rated_since', 'mobile_rated_at'],
    'gone_since',
  ],
  ['url_tester', 'at'],
  ['tested_proxy', 'last_tested_at'],
  ['service', 'asked_at', 'answered_at'],
  ['quote', 'answered_at'],
  ['target', 'since'],
  ['fault', 'since'],
  ['alert', 'since', 'firing_since', 'absent_since', 'ended_at'],
  ['notice', 'created_at'],
  ['endpoint', 'last_success_at', 'rejected_since', 'refused_since'],
  ['account', 'unreached_since', 'unreached_at'],
  ['run', 'started_at', 'finished_at', 'last_success_at', 'watched_since'],
];

/** What was spent stays spent, in tables of a few rows. */
const SPENT = [
  `INSERT INTO test_spend SELECT account_id, @now, sum(runs) FROM test_spend WHERE at > @now GROUP BY account_id
   ON CONFLICT DO UPDATE SET runs = runs + excluded.runs`,
  'DELETE FROM test_spend WHERE at > @now',
  // A price stays known, as of today.
  `INSERT INTO test_price SELECT account_id, @now - @now % ${DAY}, min(price_key), max(runs) FROM test_price
   WHERE at > @now GROUP BY account_id ON CONFLICT DO UPDATE SET runs = max(runs, excluded.runs)`,
  'DELETE FROM test_price WHERE at > @now',
  'DELETE FROM lost_time WHERE began_at > @now',
  'UPDATE lost_time SET ended_at = @now WHERE ended_at > @now',
];

/** No pause is longer than a day, so a later end is what a clock that was ahead made of it. */
const PAUSES = `UPDATE endpoint SET paused_until = @now WHERE paused_until > @now + ${DAY}`;

interface ListingRow {
  readonly accountId: number;
  readonly collector: string;
  readonly storedAt: number | null;
}

const LISTING_TIMES = [
  ...['began_at', 'baselined_at', 'counted_started_at', 'counted_at'],
  ...['complete_started_at', 'complete_at', 'stored_at'],
];

const LISTINGS_AHEAD = `SELECT account_id AS accountId, collector, stored_at AS storedAt FROM listing
  WHERE ${isAfterNow(...LISTING_TIMES)}`;

/** Unless a run stored something since, of which the holds know nothing yet: then the next call finds it ahead. */
const LISTING_TO_PRESENT = `UPDATE listing SET ${toPresent(...LISTING_TIMES)}
  WHERE account_id = @accountId AND collector = @collector AND stored_at IS @storedAt`;

/**
 * Brings times of the future to `now` (ms) where the clock was set back since; tells whether this call found any. It
 * does so in slices between which the event loop is free: calls made meanwhile wait for them. A mark in the store
 * has the next call go on where a process was killed.
 */
export const createPresent = (db: Database): ((now: number) => Promise<boolean>) => {
  const { sql, firstStepHoldMs } = db;
  const newest = sql.prepare<{ now: number }, number | null>(NEWEST).pluck();
  const begun = sql.prepare<[], number>('SELECT began_at FROM clock_step').pluck();
  const begin = sql.prepare<[number]>('INSERT OR REPLACE INTO clock_step VALUES (1, ?)');
  const end = sql.prepare('DELETE FROM clock_step');
  const graphs = createGraphTimes(db);
  const holds = createHolds(db);
  const listingsAhead = sql.prepare<{ now: number }, ListingRow>(LISTINGS_AHEAD);
  const listingToPresent = sql.prepare<ListingRow & { now: number }>(LISTING_TO_PRESENT);
  const few = [...SPENT, PAUSES].map((statement) => sql.prepare(statement));
  const others = TIMES.map(([table, ...columns]) =>
    createTableWalk(db, table, {
      set: toPresent(...columns),
      where: isAfterNow(...columns),
    }),
  );

  /** The slices, each to be done in a transaction. Holds move around the times that they are held against. */
  const slices = function* (now: number): Generator<() => void> {
    const values = { now, longest: now + firstStepHoldMs, latest: now + TOLERANCE_MS };
    const ahead = db.read(() => ({ graphs: graphs.ahead(now), listings: listingsAhead.all({ now }) }));
    yield () => begin.run(now);
    yield* inTurn(holds.release, values);
    for (const graph of ahead.graphs) yield () => graphs.toPresent(graph, now);
    for (const listing of ahead.listings) yield () => listingToPresent.run({ ...listing, now });
    yield* inTurn(holds.settle, values);
    yield () => {
      for (const statement of few) statement.run({ now });
    };
    yield* inTurn(others, values);
    yield () => end.run();
  };

  const isAhead = (now: number): boolean =>
    db.read(() => begun.get() !== undefined || (newest.get({ now }) ?? now) > now + TOLERANCE_MS);

  const bringToPresent = async (now: number): Promise<void> => {
    for (const slice of slices(now)) {
      db.write(slice);
      await new Promise(setImmediate);
    }
  };

  let going: Promise<void> | undefined;
  return async (now) => {
    if (going) {
      await going;
      return false;
    }
    if (!isAhead(now)) return false;
    going = bringToPresent(now).finally(() => {
      going = undefined;
    });
    await going;
    return true;
  };
};

function toPresent(...columns: readonly string[]): string {
  return columns.map((column) => `${column} = min(${column}, @now)`).join(', ');
}

function isAfterNow(...columns: readonly string[]): string {
  return columns.map((column) => `${column} > @now`).join(' OR ');
}

/** The slices of walks, one walk after another. */
function* inTurn(
  walks: readonly SliceAfter[],
  values: Readonly<Record<string, number>>,
): Generator<() => void> {
  for (const walk of walks) {
    let after: ReturnType<SliceAfter>;
    do {
      yield () => {
        after = walk(after, values);
      };
    } while (after);
  }
}
