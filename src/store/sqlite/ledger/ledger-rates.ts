// Stores how fast the bytes of the ledger are used.

import { newRates, observe, type Rates } from '../../../lib/forecast.ts';
import type { Database } from '../file/database.ts';

/** Bytes used by a service. An empty `serviceId` stands for the whole account. */
export interface UsedBytes {
  readonly serviceId: string;
  readonly usedBytes: number;
}

export interface LedgerRates {
  /** Sums the bytes used by the rows of these reasons, one slice at a time. Must run outside of transactions. */
  usedBy(accountId: number, usageReasons: readonly string[]): Promise<UsedBytes[]>;
  /** Updates the rates with the bytes used since the listing at `before` (ms). Must run inside a transaction. */
  update(accountId: number, used: readonly UsedBytes[], before: number | null, now: number): void;
  /** Sets the values from which the next growth is measured; the rates stay. Must run inside a transaction. */
  rebase(accountId: number, used: readonly UsedBytes[]): void;
  /** Returns the rates by service. An empty key stands for the whole account. */
  of(accountId: number): ReadonlyMap<string, Rates>;
}

interface RatesRow extends Rates {
  readonly serviceId: string;
  readonly usedBytes: number;
}

/** The rows that one slice sums: some milliseconds of CPU. */
const SLICE_ROWS = 5_000;

export const createLedgerRates = (db: Database): LedgerRates => {
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
  const ratesOf = sql.prepare<[number], RatesRow>(
    `SELECT service_id AS serviceId, used_bytes AS usedBytes, since, at, hour, day, week,
       slot_bytes AS slotBytes, profile
     FROM ledger_rates WHERE account_id = ?`,
  );
  const setUsed = sql.prepare(
    'UPDATE ledger_rates SET used_bytes = ? WHERE account_id = ? AND service_id = ?',
  );
  const put = sql.prepare('INSERT OR REPLACE INTO ledger_rates VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');

  return {
    usedBy: async (accountId, usageReasons) => {
      const sums = new Map([['', 0]]);
      const add = (serviceId: string, bytes: number) =>
        sums.set(serviceId, (sums.get(serviceId) ?? 0) + bytes);
      const reasons = JSON.stringify(usageReasons);
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
    update: (accountId, used, before, now) => {
      const stored = new Map(ratesOf.all(accountId).map((row) => [row.serviceId, row]));
      for (const { serviceId, usedBytes } of used) {
        const previous = stored.get(serviceId) ?? { ...newRates(now), usedBytes };
        const rates = observe(previous, usedBytes - previous.usedBytes, before ?? now, now);
        const { since, at, hour, day, week, slotBytes, profile } = rates;
        put.run(accountId, serviceId, usedBytes, since, at, hour, day, week, slotBytes, profile);
      }
    },
    rebase: (accountId, used) => {
      for (const { serviceId, usedBytes } of used) setUsed.run(usedBytes, accountId, serviceId);
    },
    of: (accountId) => new Map(ratesOf.all(accountId).map((row) => [row.serviceId, row])),
  };
};
