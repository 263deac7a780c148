// Defines the store's interface, all that others know of it. An operation is one transaction, unless it works in slices.

import type { Progress } from '../lib/progress.ts';
import type { AccountStore, EndpointStore, RunStore } from './account-store.ts';
import type { AdjustmentStore } from './adjustment-store.ts';
import type { AlertHistoryStore } from './alert-history-store.ts';
import type { AlertStore, SilenceStore } from './alert-store.ts';
import type { CatalogStore, GeographyStore, QuoteStore } from './catalog-store.ts';
import type { EventStore } from './event-store.ts';
import type { InventoryStore } from './inventory-store.ts';
import type { LedgerStores } from './ledger-store.ts';
import type { LogSummaryStore } from './log-summary-store.ts';
import type { PriceStore } from './price-store.ts';
import type { ProbeStore } from './probe-store.ts';
import type { PublicationStore, RemoteWriteStore } from './publication-store.ts';
import type { ReconciliationStore } from './reconciliation-store.ts';
import type { RequestLogStore } from './request-log-store.ts';
import type { CustomerStore, ServiceStore } from './service-store.ts';
import type { SourceProxyStore } from './source-proxy-store.ts';
import type { TestStore } from './test-store.ts';
import type { TrafficStore } from './traffic-store.ts';
import type { UserStore } from './user-store.ts';
import type { UserUseStore } from './user-use-store.ts';

export interface BackupScheduleStore {
  /**
   * Stores the schedule, which is empty while none is configured, and returns since when it has been this one (ms): `now`
   * if it was another one before. `known` is when it had begun already, if the store has no schedule yet.
   */
  since(schedule: string, now: number, known: number): Promise<number>;
}

/** How long each resolution of history is kept (ms). None is shorter than the one before. */
export interface Retention {
  /** History as polled. */
  readonly rawMs: number;
  /** History by hour. */
  readonly hourlyMs: number;
  /** History by day; also data that was removed or is no longer configured. */
  readonly dailyMs: number;
}

/** The configured parts of an account, which are kept no matter how old they are. */
export interface RetainedAccount {
  readonly name: string;
  /** Time zone of the provider's datetimes. Hours and days of the history begin on its boundaries. */
  readonly zone: string;
  /** Names of its configured graphs. */
  readonly graphs: readonly string[];
  readonly areUsersPolled: boolean;
}

export interface MaintenancePlan {
  readonly now: number;
  readonly retention: Retention;
  readonly accounts: readonly RetainedAccount[];
  /** Ends the maintenance between two slices. The next one does the rest. */
  readonly signal: AbortSignal;
  /** Called with the progress, which starts again for each unit: graphs, accounts, tables and pages. */
  readonly progress?: (progress: Progress) => void;
}

export interface MaintenanceReport {
  /** Rows deleted, including those that were rolled up. */
  readonly deletedRows: number;
}

export interface StoreSize {
  readonly bytes: number;
  readonly walBytes: number;
}

/** Counters of the provider's data count within an epoch. A new epoch begins when an older file of the store is put back. */
export interface StoreEpoch {
  /** When the counters began at 0 (ms); null if an older version created the store. */
  readonly beganAt: number | null;
  /** Whether the epoch began when the store was opened, because the file is an older one. */
  readonly isNew: boolean;
  /** Random, and the same in all copies of the store. Empty in a store that was never opened for writing. */
  readonly storeId: string;
}

/** Called after each write with its duration (ms), and with the error if it failed. */
export type WriteObserver = (durationMs: number, error?: unknown) => void;

/** Parts of the store, each with operations of its own, whose changes `revision` counts. */
interface StoreParts {
  readonly accounts: AccountStore;
  readonly runs: RunStore;
  readonly traffic: TrafficStore;
  readonly ledgers: LedgerStores;
  readonly customers: CustomerStore;
  readonly logSummaries: LogSummaryStore;
  readonly prices: PriceStore;
  readonly adjustments: AdjustmentStore;
  readonly requestLog: RequestLogStore;
  readonly users: UserStore;
  readonly userUse: UserUseStore;
  readonly reconciliation: ReconciliationStore;
  readonly tests: TestStore;
  readonly probes: ProbeStore;
  readonly sourceProxies: SourceProxyStore;
  readonly catalog: CatalogStore;
  readonly quotes: QuoteStore;
  readonly geography: GeographyStore;
  readonly inventory: InventoryStore;
  readonly services: ServiceStore;
  readonly alerts: AlertStore;
}

export type StorePart = keyof StoreParts;

/** All operations throw StoreError. */
export interface Store extends StoreParts, Disposable {
  readonly endpoints: EndpointStore;
  readonly alertHistory: AlertHistoryStore;
  readonly silences: SilenceStore;
  readonly events: EventStore;
  readonly publications: PublicationStore;
  readonly remoteWrite: RemoteWriteStore;
  readonly backupSchedule: BackupScheduleStore;
  readonly epoch: StoreEpoch;
  size(): StoreSize;
  /** Returns a number that rises whenever one of these parts may have changed, while the store is open. */
  revision(parts: readonly StorePart[]): number;
  /** Rolls up history, deletes old data and releases its space. The event loop is free between slices. */
  maintain(plan: MaintenancePlan): Promise<MaintenanceReport>;
  /** Sets stored times after `now` (ms) to it, if a clock far ahead wrote them. Returns whether any did. No counter falls. */
  correctFutureTimes(now: number, account: string): Promise<boolean>;
  /** Throws StoreError if the store cannot be written. */
  checkWritable(): Promise<void>;
  /** Whether there are signs of damage since the last check. */
  needsCheck(): boolean;
  /** Checks the whole store, which may take seconds. If it is damaged, this and all further writes throw StoreError. */
  check(signal: AbortSignal): Promise<void>;
}
