// Implements the store on SQLite: opens the file and composes the stores of all parts.

import { statSync } from 'node:fs';
import type SQLite from 'better-sqlite3';
import { type Clock, systemClock } from '../../lib/clock.ts';
import type { BackupScheduleStore, Store, StoreEpoch, StorePart, WriteObserver } from '../store.ts';
import { createAccountStore, createEndpointStore, createRunStore } from './accounts/accounts.ts';
import { createAdjustmentStore } from './adjustments/adjustments.ts';
import { createFutureTimeCorrection } from './clock/future-times.ts';
import { createCustomerStore, createServiceStore } from './customers.ts';
import { createEventStore } from './events.ts';
import { createDatabase, type Database, withOperations } from './file/database.ts';
import { createEpochs, type Epochs } from './file/epoch.ts';
import { asStoreError } from './file/errors.ts';
import { FileGuard } from './file/file-guard.ts';
import { assertNoOtherName, lockFile } from './file/lock.ts';
import { type RestrictedModes, restrictModes } from './file/modes.ts';
import { inspectFile, openFile, openFileReadOnly } from './file/open.ts';
import { createInventoryStore } from './inventory/inventory.ts';
import { createLedgerStores } from './ledger/ledger.ts';
import { createLogSummaryStore } from './log-summaries/log-summaries.ts';
import { createCatalogStore, createGeographyStore, createQuoteStore } from './market.ts';
import { createAlertStore, createSilenceStore } from './notifications/alerts.ts';
import { createAlertHistoryStore } from './notifications/history.ts';
import { createPriceStore } from './prices.ts';
import { createPublicationStore } from './publication/publication.ts';
import { createRemoteWriteStore } from './publication/receivers.ts';
import { createReconciliationStore } from './reconciliation.ts';
import { createRequestLogStore } from './request-log/request-log.ts';
import { createMaintenance } from './retention/maintenance.ts';
import { TABLES } from './tables.ts';
import { createSourceProxyStore } from './tests/source-proxies.ts';
import { createTestStore } from './tests/tests.ts';
import { createTrafficStore } from './traffic/traffic.ts';
import { createUserUseStore } from './user-use/user-use.ts';
import { createUserStore } from './users/users.ts';
import { createProbeStore } from './vantage/probes.ts';

interface SqliteStoreOptions {
  readonly path: string;
  /** How long a new counter shows 0 (ms). */
  readonly firstStepHoldMs: number;
  readonly observeWrite?: WriteObserver | undefined;
  /** Gives the time at which an epoch begins; the system clock by default. */
  readonly clock?: Pick<Clock, 'now'>;
  /** Called with the files that other users could read, if any. */
  readonly onRestricted?: (modes: RestrictedModes) => void;
  /** Whether the store survives a power loss (the default). This makes it several times slower. */
  readonly isDurable?: boolean;
}

/** Opens the store for this process only, and creates it if there is none. Throws StoreError; see openFile. */
export const openSqliteStore = ({
  path,
  firstStepHoldMs,
  observeWrite,
  clock = systemClock,
  onRestricted = () => {},
  isDurable = true,
}: SqliteStoreOptions): Store => {
  using stack = new DisposableStack();
  // An inspection by another name would leave files beside this name, which look like those of a reader.
  assertNoOtherName(path);
  // The file is checked first, because the lock is a file too and must not appear beside another program's file.
  inspectFile(path);
  stack.use(lockFile(path));
  const sql = stack.use(openFile(path, { isDurable }));
  const modes = restrictModes(path);
  if (modes.restricted.length + modes.failed.length > 0) onRestricted(modes);
  return createStore(
    sql,
    { firstStepHoldMs, observeWrite, openEpoch: (epochs) => epochs.open(clock.now()) },
    stack.move(),
  );
};

/** Opens the store for reading, even while a daemon uses it. Its writes throw StoreError. */
export const openSqliteStoreReadOnly = (path: string): Store => {
  using stack = new DisposableStack();
  const sql = stack.use(openFileReadOnly(path));
  return createStore(sql, { firstStepHoldMs: 0, openEpoch: (epochs) => epochs.read() }, stack.move());
};

interface StoreSetup extends Pick<SqliteStoreOptions, 'firstStepHoldMs' | 'observeWrite'> {
  openEpoch(epochs: Epochs): StoreEpoch;
}

/** Creates the store over a connection. It owns `resources`, which are released at once if the tables are not as expected. */
const createStore = (
  sql: SQLite.Database,
  { firstStepHoldMs, observeWrite, openEpoch }: StoreSetup,
  resources: DisposableStack,
): Store => {
  const path = sql.name;
  try {
    const revisions = new Revisions();
    const guard = new FileGuard(path, () => sql.pragma('wal_checkpoint(TRUNCATE)'));
    const db = createDatabase(sql, firstStepHoldMs, observeWrite, guard);
    const wholeStore = revisions.track(db, 'all');
    const partOf = (part: StorePart): Database => revisions.track(db, part);
    const correctFutureTimes = createFutureTimeCorrection(wholeStore);
    const epochs = createEpochs(db);
    const parts = {
      accounts: createAccountStore(partOf('accounts')),
      runs: createRunStore(partOf('runs'), epochs),
      traffic: createTrafficStore(partOf('traffic')),
      ledgers: createLedgerStores(partOf('ledgers')),
      customers: createCustomerStore(partOf('customers')),
      logSummaries: createLogSummaryStore(partOf('logSummaries')),
      prices: createPriceStore(partOf('prices')),
      adjustments: createAdjustmentStore(partOf('adjustments')),
      requestLog: createRequestLogStore(partOf('requestLog')),
      users: createUserStore(partOf('users')),
      userUse: createUserUseStore(partOf('userUse')),
      reconciliation: createReconciliationStore(partOf('reconciliation')),
      tests: createTestStore(partOf('tests')),
      probes: createProbeStore(partOf('probes')),
      sourceProxies: createSourceProxyStore(partOf('sourceProxies')),
      catalog: createCatalogStore(partOf('catalog')),
      quotes: createQuoteStore(partOf('quotes')),
      geography: createGeographyStore(partOf('geography')),
      inventory: createInventoryStore(partOf('inventory')),
      services: createServiceStore(partOf('services')),
      endpoints: createEndpointStore(db),
      alerts: createAlertStore(partOf('alerts')),
      alertHistory: createAlertHistoryStore(db),
      silences: createSilenceStore(db),
      events: createEventStore(db),
      publications: createPublicationStore(db),
      remoteWrite: createRemoteWriteStore(db),
      backupSchedule: createBackupScheduleStore(db),
    };
    // A store that lacks a table stays unchanged.
    for (const [table] of TABLES) sql.prepare(`SELECT 1 FROM ${table}`);
    return {
      ...parts,
      epoch: openEpoch(epochs),
      maintain: createMaintenance(wholeStore),
      correctFutureTimes,
      revision: (parts) => revisions.of(parts),
      size: () => ({ bytes: sizeOf(path), walBytes: sizeOf(`${path}-wal`) }),
      checkWritable: async () => {
        const change = 'INSERT INTO write_check VALUES (1, 1) ON CONFLICT DO UPDATE SET writes = writes + 1';
        db.write(() => db.sql.run(change));
      },
      needsCheck: () => guard.needsCheck,
      check: (signal) => guard.check(signal),
      [Symbol.dispose]: () => resources.dispose(),
    };
  } catch (error) {
    resources.dispose();
    throw asStoreError(error, path);
  }
};

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/** `all` is for writes that may change any part, such as maintenance. */
type RevisionScope = StorePart | 'all';

class Revisions {
  readonly #writes = new Map<RevisionScope, number>();

  /** Returns the database with its writes counted for the part. */
  track(db: Database, part: RevisionScope): Database {
    const changedRows = db.prepareValue<[], number>('SELECT total_changes()');
    const write = <T>(work: () => T): T => {
      let [before, after]: (number | undefined)[] = [];
      try {
        return db.write(() => {
          before = changedRows.get();
          const result = work();
          after = changedRows.get();
          return result;
        });
      } finally {
        // The number rises after the write, so that a reader never sees the old state under the new number. Most slices
        // of maintenance change nothing.
        if (before !== after) this.#writes.set(part, this.#of(part) + 1);
      }
    };
    return withOperations({ ...db, write });
  }

  of(parts: readonly StorePart[]): number {
    return parts.reduce((sum, part) => sum + this.#of(part), this.#of('all'));
  }

  #of(part: RevisionScope): number {
    return this.#writes.get(part) ?? 0;
  }
}

const createBackupScheduleStore = ({ sql, read, write }: Database): BackupScheduleStore => ({
  since: async (schedule, now, known) => {
    const before = read(() =>
      sql.get<{ schedule: string; since: number }>('SELECT schedule, since FROM backup_schedule'),
    );
    if (before?.schedule === schedule) return before.since;
    const since = before ? now : known;
    write(() => sql.run('INSERT OR REPLACE INTO backup_schedule VALUES (1, ?, ?)', schedule, since));
    return since;
  },
});
