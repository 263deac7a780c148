// Stores what each batch of probes shows: exits, the last failures, and how long the phases take.

import type {
  ExitResult,
  PhaseTime,
  PhaseTimes,
  ProbeExit,
  ProbeFailureDetails,
  ProbeStore,
} from '../../probe-store.ts';
import { RESPONSE_TIME_BOUNDS_MS } from '../../test-store.ts';
import type { Database } from '../file/database.ts';
import { prepareValue } from '../row.ts';

interface Exits {
  /** Must run inside a transaction. */
  add(accountId: number, exits: readonly ExitResult[], now: number): void;
  readonly queries: Pick<ProbeStore, 'exits' | 'forgetExit'>;
}

interface ExitRow extends Omit<ProbeExit, 'isMismatch'> {
  readonly isMismatch: number;
}

export const createExits = (db: Database): Exits => {
  const put = db.sql.prepare(
    `INSERT INTO probe_exit VALUES (@accountId, @proxy, @expected, @seen, @isMismatch, @now, @now)
     ON CONFLICT DO UPDATE SET expected = excluded.expected, seen = excluded.seen, at = excluded.at,
       since = iif(is_mismatch = excluded.is_mismatch, since, excluded.since), is_mismatch = excluded.is_mismatch`,
  );
  const exitsOf = db.sql.prepare<[number], ExitRow>(
    `SELECT proxy, expected, seen, is_mismatch AS isMismatch, since, at
     FROM probe_exit WHERE account_id = ? ORDER BY proxy`,
  );
  const forget = db.sql.prepare('DELETE FROM probe_exit WHERE account_id = ? AND proxy = ?');
  return {
    add: (accountId, exits, now) => {
      for (const exit of exits) put.run({ accountId, now, ...exit, isMismatch: Number(exit.isMismatch) });
    },
    queries: {
      exits: async (account) =>
        db
          .read(() => exitsOf.all(db.knownAccountId(account)))
          .map((row) => ({ ...row, isMismatch: row.isMismatch === 1 })),
      forgetExit: async (account, proxy) => {
        const accountId = db.accountId(account);
        db.write(() => forget.run(accountId, proxy));
      },
    },
  };
};

interface ProbeFailures {
  /** Must run inside a transaction. */
  add(accountId: number, failures: readonly Omit<ProbeFailureDetails, 'at'>[], now: number): void;
  readonly queries: Pick<ProbeStore, 'failures'>;
}

const COLUMNS = 'proxy, url, at, phase, cause, message, status, code, request_id AS requestId';

export const createProbeFailures = (db: Database): ProbeFailures => {
  const put = db.sql.prepare(
    `INSERT OR REPLACE INTO probe_failure VALUES
       (@accountId, @proxy, @url, @now, @phase, @cause, @message, @status, @code, @requestId)`,
  );
  const failuresOf = db.sql.prepare<[number], ProbeFailureDetails>(
    `SELECT ${COLUMNS} FROM probe_failure WHERE account_id = ?`,
  );
  const failuresOfProxy = db.sql.prepare<[number, string], ProbeFailureDetails>(
    `SELECT ${COLUMNS} FROM probe_failure WHERE account_id = ? AND proxy = ?`,
  );
  return {
    add: (accountId, failures, now) => {
      for (const failure of failures) put.run({ accountId, now, ...failure });
    },
    queries: {
      failures: async (account, proxy) =>
        db
          .read(() => {
            const accountId = db.knownAccountId(account);
            return proxy === undefined ? failuresOf.all(accountId) : failuresOfProxy.all(accountId, proxy);
          })
          .sort((a, b) => b.at - a.at),
    },
  };
};

interface Phases {
  /** Must run inside a transaction. New histograms show 0 until `heldUntil` (ms). */
  add(accountId: number, times: readonly PhaseTime[], now: number, heldUntil: number): void;
  readonly queries: Pick<ProbeStore, 'phaseTimes'>;
}

type PhaseRow = Omit<PhaseTimes, 'counts'> & { readonly counts: string };

export const createPhases = (db: Database): Phases => {
  const countsOf = prepareValue<[number, string, string], string>(
    db.sql,
    'SELECT counts FROM probe_phase WHERE account_id = ? AND url = ? AND phase = ?',
  );
  const put = db.sql.prepare(
    `INSERT INTO probe_phase VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
       at = excluded.at, counts = excluded.counts, sum_ms = sum_ms + excluded.sum_ms, count = count + excluded.count`,
  );
  const timesOf = db.sql.prepare<[number], PhaseRow>(
    `SELECT url, phase, counts, sum_ms AS sumMs, count, held_until AS heldUntil
     FROM probe_phase WHERE account_id = ? ORDER BY url, phase`,
  );

  const addGroup = (
    accountId: number,
    group: readonly [PhaseTime, ...PhaseTime[]],
    now: number,
    heldUntil: number,
  ): void => {
    const [{ url, phase }] = group;
    const before = parseCounts(countsOf.get(accountId, url, phase) ?? '[]');
    const counts = RESPONSE_TIME_BOUNDS_MS.map(
      (bound, index) => (before[index] ?? 0) + group.filter(({ ms }) => ms <= bound).length,
    );
    const sumMs = group.reduce((sum, { ms }) => sum + ms, 0);
    put.run(accountId, url, phase, now, JSON.stringify(counts), sumMs, group.length, heldUntil);
  };

  return {
    add: (accountId, times, now, heldUntil) => {
      const groups = new Map<string, [PhaseTime, ...PhaseTime[]]>();
      for (const time of times) {
        const key = `${time.phase} ${time.url}`;
        const group = groups.get(key);
        if (group) group.push(time);
        else groups.set(key, [time]);
      }
      for (const group of groups.values()) addGroup(accountId, group, now, heldUntil);
    },
    queries: {
      phaseTimes: async (account) =>
        db
          .read(() => timesOf.all(db.knownAccountId(account)))
          .map((row) => ({ ...row, counts: parseCounts(row.counts) })),
    },
  };
};

const parseCounts = (text: string): number[] => JSON.parse(text);
