// The door of the store: everything the house knows of persistence. Each operation is its own transaction,
// but for maintenance, which is many.

import type { AccountStore } from './account-store.ts';
import type { AlertStore } from './alert-store.ts';
import type { CatalogStore } from './catalog-store.ts';
import type { EndpointStore } from './endpoint-store.ts';
import type { GeographyStore } from './geography-store.ts';
import type { InventoryStore } from './inventory-store.ts';
import type { LedgerStore } from './ledger-store.ts';
import type { MaintenancePlan, MaintenanceReport } from './maintenance.ts';
import type { QuoteStore } from './quote-store.ts';
import type { ReconciliationStore } from './reconciliation-store.ts';
import type { RunStore } from './run-store.ts';
import type { ServiceStore } from './service-store.ts';
import type { TargetStore } from './target-store.ts';
import type { TestStore } from './test-store.ts';
import type { TrafficStore } from './traffic-store.ts';
import type { UserStore } from './user-store.ts';

export interface StoreSize {
  readonly bytes: number;
  readonly walBytes: number;
}

/** Counters of the provider's data count within an epoch; a new one begins when an older file of the store is put back. */
export interface StoreEpoch {
  /** When the counters began at 0 (ms); null where the store took no note of it yet. */
  readonly beganAt: number | null;
  /** Whether it began when the store was opened, because the file is an older one. */
  readonly isNew: boolean;
}

/** Told of every write: how long it took (ms), and the error when it failed. */
export type WriteObserver = (durationMs: number, error?: unknown) => void;

/** What is stored in parts, each by operations of its own. */
export type StorePart =
  | 'accounts'
  | 'runs'
  | 'traffic'
  | 'ledger'
  | 'users'
  | 'reconciliation'
  | 'tests'
  | 'targets'
  | 'catalog'
  | 'quotes'
  | 'geography'
  | 'inventory'
  | 'services';

/** Operations throw StoreError. */
export interface Store extends Disposable {
  readonly accounts: AccountStore;
  readonly runs: RunStore;
  readonly traffic: TrafficStore;
  readonly ledger: LedgerStore;
  readonly users: UserStore;
  readonly reconciliation: ReconciliationStore;
  readonly tests: TestStore;
  readonly targets: TargetStore;
  readonly catalog: CatalogStore;
  readonly quotes: QuoteStore;
  readonly geography: GeographyStore;
  readonly inventory: InventoryStore;
  readonly services: ServiceStore;
  readonly endpoints: EndpointStore;
  readonly alerts: AlertStore;
  readonly epoch: StoreEpoch;
  size(): StoreSize;
  /** A number that rises whenever one of these parts may have changed, while the store is open. */
  revision(parts: readonly StorePart[]): number;
  /** Rolls history up, deletes what is long gone and gives its space back, in slices between which the event loop is free. */
  maintain(plan: MaintenancePlan): Promise<MaintenanceReport>;
  /**
   * Brings what is stored to the present where it is of a time after `now` (ms), because the clock was far ahead and
   * is right again; tells whether anything was. Counters go on without a fall.
   */
  followClock(now: number): Promise<boolean>;
  /** Throws unless the store takes writes. */
  probe(): Promise<void>;
}
