// Statements of how fast the ledger's bytes are used.

import { newRates, observe, type Rates } from '../../../lib/forecast.ts';
import type { Database } from '../file/database.ts';

/** Bytes used by a service; the empty one is the whole account. */
export interface UsedBytes {
  readonly serviceId: string;
  readonly usedBytes: number;
}

export interface LedgerPace {
  /** Bytes used by the rows of these reasons, read a slice at a time. Outside of transactions. */
  usedBy(accountId: number, useReasons: readonly string[]): Promise<UsedBytes[]>;
  /** Takes note of what was used since the listing of `before` (ms). Inside a transaction. */
  observe(accountId: number, used: readonly UsedBytes[], before: number | null, now: number): void;
  /** Measures what is used next from these on. Inside a transaction. */
  rebase(accountId: number, used: readonly UsedBytes[]): void;
  /** By service; the empty one is the whole account. */
  of(accountId: number): ReadonlyMap<string, Rates>;
}

interface PaceRow extends Rates {
  readonly serviceId: string;
  readonly usedBytes: number;
}

/** Rows that are summed up at a time: some milliseconds of CPU. */
const SLICE_ROWS = 5_000;

export const createLedgerPace = (db: Database): LedgerPace => {
  const { sql } = db;
  const lastAfter = sql
    .prepare<[number, string], string | null>(
      `SELECT max(id) FROM (SELECT id FROM ledger WHERE account_id = ? AND id > ? ORDER BY id LIMIT ${SLICE_ROWS})`,
    )
    .pluck();
  const sumsWithin = sql.prepare<
    [number, string, string, string],
    { serviceId: string | null; usedBytes: number }
  >(
    `SELECT service_id AS serviceId, sum(used_bytes) AS usedBytes FROM ledger
     WHERE account_id = ? AND id > ? AND id <= ? AND reason IN (SELECT value FROM json_each(?)) GROUP BY service_id`,
  );
  const pacesOf = sql.prepare<[number], PaceRow>(
    `SELECT service_id AS serviceId, used_bytes AS usedBytes, since, at, hour, day, week,
       slot_bytes AS slotBytes, profile
     FROM ledger_pace WHERE account_id = ?`,
  );
  const setUsed = sql.prepare(
    'UPDATE ledger_pace SET used_bytes = ? WHERE account_id = ? AND service_id = ?',
  );
  const put = sql.prepare('INSERT OR REPLACE INTO ledger_pace VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');

  return {
    usedBy: async (accountId, useReasons) => {
      const sums = new Map([['', 0]]);
      const add = (serviceId: string, bytes: number) =>
        sums.set(serviceId, (sums.get(serviceId) ?? 0) + bytes);
      const reasons = JSON.stringify(useReasons);
      const addAfter = (after: string): string | null => {
        const last = lastAfter.get(accountId, after) ?? null;
        for (const { serviceId, usedBytes } of sumsWithin.all(accountId, after, last ?? '', reasons)) {
          add('', usedBytes);
          if (serviceId !== null) add(serviceId, usedBytes);
        }
        return last;
      };
      for (let after: string | null = ''; after !== null; ) {
        const last: string = after;
        after = db.read(() => addAfter(last));
        await new Promise(setImmediate);
      }
      return [...sums].map(([serviceId, usedBytes]) => ({ serviceId, usedBytes }));
    },
    observe: (accountId, used, before, now) => {
      const paces = new Map(pacesOf.all(accountId).map((pace) => [pace.serviceId, pace]));
      for (const { serviceId, usedBytes } of used) {
        const pace = paces.get(serviceId) ?? { ...newRates(now), usedBytes };
        const rates = observe(pace, usedBytes - pace.usedBytes, before ?? now, now);
        const { since, at, hour, day, week, slotBytes, profile } = rates;
        put.run(accountId, serviceId, usedBytes, since, at, hour, day, week, slotBytes, profile);
      }
    },
    rebase: (accountId, used) => {
      for (const { serviceId, usedBytes } of used) setUsed.run(usedBytes, accountId, serviceId);
    },
    of: (accountId) => new Map(pacesOf.all(accountId).map((pace) => [pace.serviceId, pace])),
  };
};
