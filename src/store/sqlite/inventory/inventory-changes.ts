// Counts changes of the inventory, and stores each as an event.

import {
  INVENTORY_CHANGES,
  type InventoryChange,
  type InventoryChangeKind,
  type InventoryProxy,
  type InventoryStore,
} from '../../inventory-store.ts';
import { createCounters } from '../counters.ts';
import type { Database } from '../file/database.ts';
import { createChangePages } from './change-pages.ts';
import { createChangesOfTested } from './changes-of-tested.ts';

export type NewChange = Omit<InventoryChange, 'number' | 'at'>;

export interface InventoryChanges {
  /** Creates the counters of changes at 0. Must run inside a transaction. */
  create(accountId: number, heldUntil: number): void;
  /** Counts and stores the changes found by a listing that began at `at` (ms). Must run inside a transaction. */
  add(accountId: number, at: number, changes: readonly NewChange[], heldUntil: number): void;
  readonly queries: Pick<
    InventoryStore,
    'counters' | 'changes' | 'newestChanges' | 'countChanges' | 'changesOfTested'
  >;
}

/** The limit of an account: about 15 MB. */
const MAX_CHANGES = 100_000;

export const createInventoryChanges = (db: Database): InventoryChanges => {
  const { sql } = db;
  const counters = createCounters(db);
  const insert = sql.prepare(
    'INSERT INTO inventory_change (account_id, at, change, proxy_id, before, after) VALUES (@accountId, @at, @change, @proxyId, @before, @after)',
  );
  const deleteOldest = sql.prepare<[number, number, number]>(
    `DELETE FROM inventory_change WHERE account_id = ? AND number <=
       (SELECT number FROM inventory_change WHERE account_id = ? ORDER BY number DESC LIMIT 1 OFFSET ?)`,
  );
  const after = sql.prepare<[number, number, number], InventoryChange>(
    `SELECT number, at, change, proxy_id AS proxyId, before, after FROM inventory_change
     WHERE account_id = ? AND number > ? ORDER BY number LIMIT ?`,
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
      deleteOldest.run(accountId, accountId, MAX_CHANGES);
    },
    queries: {
      counters: async (account) =>
        db.read(() => counters.of(ownerOf(db.knownAccountId(account)), INVENTORY_CHANGES)),
      changes: async (account, number, limit) =>
        db.read(() => after.all(db.knownAccountId(account), number, limit)),
      ...createChangePages(db),
      changesOfTested: createChangesOfTested(db),
    },
  };
};

const ownerOf = (accountId: number): string => `inventory/${accountId}`;

type ComparedProxy = Pick<InventoryProxy, 'id' | 'address' | 'asnId' | 'cityId'>;

/** Returns the differences between two observations of a proxy. A value that was unknown before is not a change. */
export const changesBetween = (before: ComparedProxy | undefined, after: ComparedProxy): NewChange[] => {
  const { id: proxyId } = after;
  if (!before) return [{ change: 'appeared', proxyId, before: null, after: after.address }];
  const values = [
    ['address', before.address, after.address],
    ['asn', before.asnId, after.asnId],
    ['city', before.cityId, after.cityId],
  ] as const;
  return values.flatMap(([change, old, current]) =>
    old === null || current === null || old === current
      ? []
      : [{ change, proxyId, before: String(old), after: String(current) }],
  );
};
