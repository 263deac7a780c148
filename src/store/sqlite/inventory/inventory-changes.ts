// Statements of changes of the inventory: each counted, and kept as an event.

import {
  INVENTORY_CHANGES,
  type InventoryChange,
  type InventoryChangeKind,
  type InventoryProxy,
  type InventoryStore,
} from '../../inventory-store.ts';
import { createCounters } from '../counters.ts';
import type { Database } from '../file/database.ts';

export type NewChange = Omit<InventoryChange, 'number' | 'at'>;

export interface InventoryChanges {
  /** Inside a transaction. */
  create(accountId: number, heldUntil: number): void;
  /** Counts changes that a listing begun at `at` (ms) showed. Inside a transaction. */
  add(accountId: number, at: number, changes: readonly NewChange[], heldUntil: number): void;
  readonly readings: Pick<InventoryStore, 'counters' | 'changes' | 'newestChanges'>;
}

/** Kept of an account, some 15 MB. */
const MAX_CHANGES = 100_000;

export const createInventoryChanges = (db: Database): InventoryChanges => {
  const { sql } = db;
  const counters = createCounters(db);
  const insert = sql.prepare(
    'INSERT INTO inventory_change (account_id, at, change, proxy_id, before, after) VALUES (@accountId, @at, @change, @proxyId, @before, @after)',
  );
  const forget = sql.prepare<[number, number, number]>(
    `DELETE FROM inventory_change WHERE account_id = ? AND number <=
       (SELECT number FROM inventory_change WHERE account_id = ? ORDER BY number DESC LIMIT 1 OFFSET ?)`,
  );
  const CHANGE = 'SELECT number, at, change, proxy_id AS proxyId, before, after FROM inventory_change';
  const after = sql.prepare<[number, number, number], InventoryChange>(
    `${CHANGE} WHERE account_id = ? AND number > ? ORDER BY number LIMIT ?`,
  );
  const newest = sql.prepare<[number, number, number], InventoryChange>(
    `${CHANGE} WHERE account_id = ? AND number < ? ORDER BY number DESC LIMIT ?`,
  );

  return {
    create: (accountId, heldUntil) => counters.create(ownerOf(accountId), INVENTORY_CHANGES, heldUntil),
    add: (accountId, at, changes, heldUntil) => {
      const growth: Partial<Record<InventoryChangeKind, number>> = {};
      for (const change of changes) {
        insert.run({ accountId, at, ...change });
        growth[change.change] = (growth[change.change] ?? 0) + 1;
      }
      counters.grow(ownerOf(accountId), growth, heldUntil);
      forget.run(accountId, accountId, MAX_CHANGES);
    },
    readings: {
      counters: async (account) =>
        db.read(() => counters.of(ownerOf(db.knownAccountId(account)), INVENTORY_CHANGES)),
      changes: async (account, number, limit) =>
        db.read(() => after.all(db.knownAccountId(account), number, limit)),
      newestChanges: async (account, before, limit) =>
        db.read(() => newest.all(db.knownAccountId(account), before, limit)),
    },
  };
};

const ownerOf = (accountId: number): string => `inventory/${accountId}`;

type Seen = Pick<InventoryProxy, 'id' | 'address' | 'asnId' | 'cityId'>;

/** What a listing says that is other than before; a value that was never known before is no change. */
export const changesBetween = (before: Seen | undefined, after: Seen): NewChange[] => {
  const { id: proxyId } = after;
  if (!before) return [{ change: 'appeared', proxyId, before: null, after: after.address }];
  const values = [
    ['address', before.address, after.address],
    ['asn', before.asnId, after.asnId],
    ['city', before.cityId, after.cityId],
  ] as const;
  return values.flatMap(([change, old, present]) =>
    old === null || present === null || old === present
      ? []
      : [{ change, proxyId, before: String(old), after: String(present) }],
  );
};
