// Statements of how fast the ledger's bytes are used.

import { newRates, observe, type Rates } from '../../lib/forecast.ts';
import type { Database } from './database.ts';

export interface LedgerPace {
  /** Takes note of what was used since the listing of `before` (ms). Inside a transaction. */
  observe(accountId: number, useReasons: readonly string[], before: number | null, now: number): void;
  /** Measures what is used next from the rows as they are now. Inside a transaction. */
  rebase(accountId: number, useReasons: readonly string[]): void;
  /** By service; the empty one is the whole account. */
  of(accountId: number): ReadonlyMap<string, Rates>;
}

interface PaceRow extends Rates {
  readonly serviceId: string;
  readonly usedBytes: number;
}

export const createLedgerPace = ({ sql }: Database): LedgerPace => {
  const usedOf = sql.prepare<[number, string], { serviceId: string; usedBytes: number }>(
    `WITH used AS (SELECT service_id, used_bytes FROM ledger
       WHERE account_id = ? AND reason IN (SELECT value FROM json_each(?)))
     SELECT '' AS serviceId, coalesce(sum(used_bytes), 0) AS usedBytes FROM used
     UNION ALL
     SELECT service_id, sum(used_bytes) FROM used WHERE service_id IS NOT NULL GROUP BY service_id`,
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

  const sumsOf = (accountId: number, useReasons: readonly string[]) =>
    usedOf.all(accountId, JSON.stringify(useReasons));

  return {
    observe: (accountId, useReasons, before, now) => {
      const paces = new Map(pacesOf.all(accountId).map((pace) => [pace.serviceId, pace]));
      for (const { serviceId, usedBytes } of sumsOf(accountId, useReasons)) {
        const pace = paces.get(serviceId) ?? { ...newRates(now), usedBytes };
        const rates = observe(pace, usedBytes - pace.usedBytes, before ?? now, now);
        const { since, at, hour, day, week, slotBytes, profile } = rates;
        put.run(accountId, serviceId, usedBytes, since, at, hour, day, week, slotBytes, profile);
      }
    },
    rebase: (accountId, useReasons) => {
      for (const { serviceId, usedBytes } of sumsOf(accountId, useReasons))
        setUsed.run(usedBytes, accountId, serviceId);
    },
    of: (accountId) => new Map(pacesOf.all(accountId).map((pace) => [pace.serviceId, pace])),
  };
};
