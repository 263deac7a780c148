// Stores how long the phases of probes take, as histograms by url.

import type { PhaseTime, PhaseTimes, ProbeStore } from '../../probe-store.ts';
import { RESPONSE_TIME_BOUNDS_MS } from '../../test-store.ts';
import type { Database } from '../file/database.ts';

export interface Phases {
  /** Must run inside a transaction. New histograms show 0 until `heldUntil` (ms). */
  add(accountId: number, times: readonly PhaseTime[], now: number, heldUntil: number): void;
  readonly queries: Pick<ProbeStore, 'phaseTimes'>;
}

type PhaseRow = Omit<PhaseTimes, 'counts'> & { readonly counts: string };

export const createPhases = (db: Database): Phases => {
  const countsOf = db.sql
    .prepare<[number, string, string], string>(
      'SELECT counts FROM probe_phase WHERE account_id = ? AND url = ? AND phase = ?',
    )
    .pluck();
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
