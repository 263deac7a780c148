// Stores what each batch of probes shows: exits, the last failures, and how long the phases take.

import type {
  ExitResult,
  PhaseTime,
  PhaseTimes,
  ProbeExit,
  ProbeFailureDetails,
  ProbeStore,
} from '../../probe-store.ts';
import { type Database, writeFor } from '../file/database.ts';
import { describeRow, flags, plain, type RowOf } from '../row.ts';
import { ofAccount, storedAtOf, type Tables } from '../table.ts';
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
  probe_spend: {
    // Bytes that were spent still count against the budget.
    corrections: [
      `INSERT INTO probe_spend SELECT account_id, @now, sum(bytes) FROM probe_spend WHERE at > @now GROUP BY account_id
       ON CONFLICT DO UPDATE SET bytes = bytes + excluded.bytes`,
      'DELETE FROM probe_spend WHERE at > @now',
    ],
    move: ofAccount(),
  },
} as const satisfies Tables;

const EXIT = describeRow<ProbeExit>({ ...plain('proxy expected seen since at'), ...flags('isMismatch') });
const FAILURE = describeRow<ProbeFailureDetails>(
  plain('proxy url at phase cause message status code requestId'),
);

export const createExits = (db: Database) => {
  const put = db.sql.prepare(
    `INSERT INTO probe_exit (account_id, ${EXIT.columns}) VALUES (@accountId, ${EXIT.values})
     ON CONFLICT DO UPDATE SET expected = excluded.expected, seen = excluded.seen, at = excluded.at,
       since = iif(is_mismatch = excluded.is_mismatch, since, excluded.since), is_mismatch = excluded.is_mismatch`,
  );
  const exitsOf = db.sql.prepare<[number], RowOf<ProbeExit>>(
    `SELECT ${EXIT.selected} FROM probe_exit WHERE account_id = ? ORDER BY proxy`,
  );
  const forget = db.sql.prepare('DELETE FROM probe_exit WHERE account_id = ? AND proxy = ?');
  return {
    /** Must run inside a transaction. */
    add: (accountId: number, exits: readonly ExitResult[], now: number): void => {
      for (const exit of exits) put.run({ accountId, ...EXIT.toRow({ ...exit, since: now, at: now }) });
    },
    queries: {
      exits: async (account) => db.read(() => exitsOf.all(db.knownAccountId(account))).map(EXIT.fromRow),
      forgetExit: (account, proxy) => writeFor(db, account, (accountId) => forget.run(accountId, proxy)),
    } satisfies Pick<ProbeStore, 'exits' | 'forgetExit'>,
  };
};

export const createProbeFailures = (db: Database) => {
  const put = db.sql.prepare(
    `INSERT OR REPLACE INTO probe_failure (account_id, ${FAILURE.columns}) VALUES (@accountId, ${FAILURE.values})`,
  );
  const failuresOf = db.sql.prepare<[number], ProbeFailureDetails>(
    `SELECT ${FAILURE.selected} FROM probe_failure WHERE account_id = ?`,
  );
  const failuresOfProxy = db.sql.prepare<[number, string], ProbeFailureDetails>(
    `SELECT ${FAILURE.selected} FROM probe_failure WHERE account_id = ? AND proxy = ?`,
  );
  return {
    /** Must run inside a transaction. */
    add: (accountId: number, failures: readonly Omit<ProbeFailureDetails, 'at'>[], now: number): void => {
      for (const failure of failures) put.run({ accountId, ...failure, at: now });
    },
    queries: {
      failures: async (account, proxy) =>
        db
          .read(() => {
            const accountId = db.knownAccountId(account);
            return proxy === undefined ? failuresOf.all(accountId) : failuresOfProxy.all(accountId, proxy);
          })
          .sort((a, b) => b.at - a.at),
    } satisfies Pick<ProbeStore, 'failures'>,
  };
};

export const createPhases = (db: Database) => {
  const countsOf = db.prepareValue<[number, string, string], string>(
    'SELECT counts FROM probe_phase WHERE account_id = ? AND url = ? AND phase = ?',
  );
  const put = db.sql.prepare(
    `INSERT INTO probe_phase VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
       at = excluded.at, counts = excluded.counts, sum_ms = sum_ms + excluded.sum_ms, count = count + excluded.count`,
  );
  const timesOf = db.sql.prepare<[number], RowOf<PhaseTimes>>(
    `SELECT url, phase, counts, sum_ms AS sumMs, count, held_until AS heldUntil
     FROM probe_phase WHERE account_id = ? ORDER BY url, phase`,
  );

  return {
    /** Must run inside a transaction. New histograms show 0 until `heldUntil` (ms). */
    add: (accountId: number, times: readonly PhaseTime[], now: number, heldUntil: number): void => {
      for (const group of groupBy(times, (time) => `${time.phase} ${time.url}`)) {
        const [{ url, phase }] = group;
        const times = group.map(({ ms }) => ms);
        const counts = withTimes(countsOf.get(accountId, url, phase) ?? NO_COUNTS, times);
        put.run(accountId, url, phase, now, counts, sumOf(times), times.length, heldUntil);
      }
    },
    queries: {
      phaseTimes: async (account) => db.read(() => timesOf.all(db.knownAccountId(account))).map(withCounts),
    } satisfies Pick<ProbeStore, 'phaseTimes'>,
  };
};
