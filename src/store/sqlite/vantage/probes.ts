// Stores what probes show beyond their results: controls, exits, the last failures, how long the phases take, and bytes.

import { DAY, MINUTE } from '../../../lib/time.ts';
import {
  BYTE_DIRECTIONS,
  type ByteDirection,
  type PhaseTime,
  type PhaseTimes,
  type ProbeBatch,
  type ProbeExit,
  type ProbeFailureDetails,
  type ProbeStore,
  type StoredControl,
} from '../../probe-store.ts';
import { createListings } from '../accounts/listings.ts';
import { createCounters, NO_COUNTER } from '../counters.ts';
import type { Database } from '../file/database.ts';
import { describeRow, flags, plain, type RowOf } from '../row.ts';
import { ofAccount, spentNow, storedAtOf, type Tables } from '../table.ts';
import { groupBy } from '../tests/subjects.ts';
import { NO_COUNTS, sumOf, withCounts, withTimes } from '../tests/totals.ts';

const expired = 'at < @oldest';

export const PROBE_TABLES = {
  probe_control: { times: ['at'], expired, move: ofAccount() },
  probe_exit: { times: ['since', 'at'], expired, move: ofAccount() },
  probe_failure: { times: ['at'], expired, move: ofAccount() },
  probe_phase: {
    times: ['at'],
    expired,
    heldBy: storedAtOf("'proxy_tests'", 'probe_phase.account_id'),
    reset: `UPDATE probe_phase SET counts = (SELECT json_group_array(0) FROM json_each(counts)),
      sum_ms = 0, count = 0, held_until = @heldUntil`,
    move: ofAccount(),
  },
  probe_spend: { corrections: spentNow('probe_spend', 'bytes'), move: ofAccount() },
} as const satisfies Tables;

const CONTROL = describeRow<StoredControl>({
  ...plain('url failingRounds unreachedRounds at error'),
  ...flags('isSuccessful'),
});
const EXIT = describeRow<ProbeExit>({ ...plain('proxy expected seen since at'), ...flags('isMismatch') });
const FAILURE = describeRow<ProbeFailureDetails>(
  plain('proxy url at phase cause message status code requestId'),
);

export const createProbeStore = (db: Database): ProbeStore => {
  // Holds are compared with the time of the results, which are proxy tests: see future-holds.ts.
  const listings = createListings(db, 'proxy_tests');
  const counters = createCounters(db);
  const addPhases = createPhases(db);
  const putFailure = db.sql.prepare(FAILURE.insert('probe_failure', 'OR REPLACE'));
  const putExit = db.sql.prepare(
    `${EXIT.insert('probe_exit')} ON CONFLICT DO UPDATE SET expected = excluded.expected, seen = excluded.seen,
       at = excluded.at, since = iif(is_mismatch = excluded.is_mismatch, since, excluded.since),
       is_mismatch = excluded.is_mismatch`,
  );

  const countBytes = (accountId: number, bytes: ProbeBatch['bytes'], heldUntil: number): void => {
    const growth: Record<string, number> = {};
    for (const each of bytes)
      for (const direction of BYTE_DIRECTIONS) {
        const name = byteName(each.url, direction);
        growth[name] = (growth[name] ?? 0) + each[direction];
      }
    counters.grow(bytesOwner(accountId), growth, heldUntil);
  };

  return {
    ...createControls(db),
    ...createSpending(db),
    open: db.writeOf((accountId, urls, refusalClasses, now) => {
      const heldUntil = listings.heldUntil(accountId, now);
      const names = urls.flatMap((url) => BYTE_DIRECTIONS.map((direction) => byteName(url, direction)));
      counters.create(bytesOwner(accountId), names, heldUntil);
      counters.create(refusalsOwner(accountId), refusalClasses, heldUntil);
    }),
    saveBatch: db.writeOf((accountId, { now, phases, bytes, refusals, failures, exits }) => {
      const heldUntil = listings.heldUntil(accountId, now);
      addPhases(accountId, phases, now, heldUntil);
      countBytes(accountId, bytes, heldUntil);
      counters.grow(refusalsOwner(accountId), Object.fromEntries(refusals), heldUntil);
      for (const failure of failures) putFailure.run({ accountId, ...failure, at: now });
      for (const exit of exits) putExit.run({ accountId, ...EXIT.toRow({ ...exit, since: now, at: now }) });
    }),
    bytes: db.readOf((accountId, urls) => {
      const find = (direction: ByteDirection, url: string) =>
        counters.find(bytesOwner(accountId), byteName(url, direction)) ?? NO_COUNTER;
      return new Map(urls.map((url) => [url, { sent: find('sent', url), received: find('received', url) }]));
    }),
    refusals: db.readOf((accountId, classes) => counters.of(refusalsOwner(accountId), classes)),
    phaseTimes: db.rowsOf(
      `SELECT url, phase, counts, sum_ms AS sumMs, count, held_until AS heldUntil
       FROM probe_phase WHERE account_id = ? ORDER BY url, phase`,
      withCounts<RowOf<PhaseTimes>>,
    ),
    failures: db.readOf((accountId, proxy) => {
      const all = `SELECT ${FAILURE.selected} FROM probe_failure WHERE account_id = ?`;
      const found =
        proxy === undefined
          ? db.sql.all<ProbeFailureDetails>(all, accountId)
          : db.sql.all<ProbeFailureDetails>(`${all} AND proxy = ?`, accountId, proxy);
      return found.sort((a, b) => b.at - a.at);
    }),
    exits: db.rowsOf(
      `SELECT ${EXIT.selected} FROM probe_exit WHERE account_id = ? ORDER BY proxy`,
      EXIT.fromRow,
    ),
    forgetExit: db.writeOf((accountId, proxy) =>
      db.sql.run('DELETE FROM probe_exit WHERE account_id = ? AND proxy = ?', accountId, proxy),
    ),
  };
};

const bytesOwner = (accountId: number): string => `proxy_tests/${accountId}/probe_bytes`;
const refusalsOwner = (accountId: number): string => `proxy_tests/${accountId}/probe_refusals`;
const byteName = (url: string, direction: ByteDirection): string => `${direction} ${url}`;

/** Slots of this width are fine enough for a window of one day, and need few rows. */
const SLOT_MS = 10 * MINUTE;
/** So many slots are kept. An age would be measured by the clock, and one that is days ahead would delete today's slots. */
const KEPT_SLOTS = (2 * DAY) / SLOT_MS;

const createSpending = (db: Database): Pick<ProbeStore, 'spend' | 'spent'> => {
  const add = db.sql.prepare(
    'INSERT INTO probe_spend VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET bytes = bytes + excluded.bytes',
  );
  const deleteOld = db.sql.prepare<{ accountId: number }>(
    `DELETE FROM probe_spend WHERE account_id = @accountId AND at <= (
       SELECT at FROM probe_spend WHERE account_id = @accountId ORDER BY at DESC LIMIT 1 OFFSET ${KEPT_SLOTS})`,
  );
  return {
    spend: db.writeOf((accountId, amounts) => {
      for (const { at, bytes } of amounts) add.run(accountId, Math.floor(at / SLOT_MS) * SLOT_MS, bytes);
      deleteOld.run({ accountId });
    }),
    spent: db.rowsOf('SELECT at, bytes FROM probe_spend WHERE account_id = ? AND at >= ? ORDER BY at'),
  };
};

const createControls = (db: Database): Pick<ProbeStore, 'controls' | 'saveControls'> => {
  const put = db.sql.prepare(
    `${CONTROL.insert('probe_control')} ON CONFLICT DO UPDATE SET
       is_successful = excluded.is_successful, error = excluded.error, at = excluded.at,
       failing_rounds = iif(excluded.failing_rounds = 0, 0, failing_rounds + 1),
       unreached_rounds = iif(excluded.unreached_rounds = 0, 0, unreached_rounds + 1)`,
  );
  return {
    controls: db.rowsOf(
      `SELECT ${CONTROL.selected} FROM probe_control WHERE account_id = ? ORDER BY url`,
      CONTROL.fromRow,
    ),
    saveControls: db.writeOf((accountId, results, now) => {
      for (const { isUnreached, ...result } of results) {
        const rounds = {
          failingRounds: Number(!result.isSuccessful),
          unreachedRounds: Number(isUnreached),
        };
        put.run({ accountId, ...CONTROL.toRow({ ...result, ...rounds, at: now }) });
      }
    }),
  };
};

/** Returns a function that adds times of phases, inside a transaction. New histograms show 0 until `heldUntil` (ms). */
const createPhases = (db: Database) => {
  const countsOf = db.prepareValue<[number, string, string], string>(
    'SELECT counts FROM probe_phase WHERE account_id = ? AND url = ? AND phase = ?',
  );
  const put = db.sql.prepare(
    `INSERT INTO probe_phase VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
       at = excluded.at, counts = excluded.counts, sum_ms = sum_ms + excluded.sum_ms, count = count + excluded.count`,
  );
  return (accountId: number, times: readonly PhaseTime[], now: number, heldUntil: number): void => {
    for (const group of groupBy(times, (time) => `${time.phase} ${time.url}`)) {
      const [{ url, phase }] = group;
      const times = group.map(({ ms }) => ms);
      const counts = withTimes(countsOf.get(accountId, url, phase) ?? NO_COUNTS, times);
      put.run(accountId, url, phase, now, counts, sumOf(times), times.length, heldUntil);
    }
  };
};
