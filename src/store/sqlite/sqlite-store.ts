// The store on SQLite: opens the file and puts the table groups behind the door.

import { statSync } from 'node:fs';
import type SQLite from 'better-sqlite3';
import { type Clock, systemClock } from '../../lib/clock.ts';
import type { Store, StoreEpoch, StorePart, WriteObserver } from '../store.ts';
import { createAccountStore } from './accounts/accounts.ts';
import { createEndpointStore } from './accounts/endpoints.ts';
import { createRunStore } from './accounts/runs.ts';
import { createAlertStore } from './alerts.ts';
import { createCatalogStore } from './catalog.ts';
import { createPresent } from './clock/present-times.ts';
import { createDatabase, type Database } from './file/database.ts';
import { createEpochs, type Epochs } from './file/epoch.ts';
import { inspectFile, lockFile, openFile, openFileToRead } from './file/open.ts';
import { asStoreError } from './file/sqlite-error.ts';
import { createGeographyStore } from './geography.ts';
import { createInventoryStore } from './inventory/inventory.ts';
import { createLedgerStore } from './ledger/ledger.ts';
import { createQuoteStore } from './quotes.ts';
import { createReconciliationStore } from './reconciliation.ts';
import { createMaintenance } from './retention/maintenance.ts';
import { Revisions } from './revisions.ts';
import { createServiceStore } from './services.ts';
import { createTargetStore } from './tests/targets.ts';
import { createTestStore } from './tests/tests.ts';
import { createTrafficStore } from './traffic/traffic.ts';
import { createUserStore } from './users/users.ts';

export interface SqliteStoreOptions {
  readonly path: string;
  /** Milliseconds that a new counter shows 0. */
  readonly firstStepHoldMs: number;
  readonly observeWrite?: WriteObserver;
  /** Tells when an epoch begins; the system's unless given. */
  readonly clock?: Pick<Clock, 'now'>;
  /** Whether the store is to survive a power loss (yes unless given); it is several times slower for it. */
  readonly isLasting?: boolean;
}

/** Opens the store, made when there is none, for this process alone. Throws StoreError; see openFile. */
export const openSqliteStore = ({
  path,
  firstStepHoldMs,
  observeWrite = () => {},
  clock = systemClock,
  isLasting = true,
}: SqliteStoreOptions): Store => {
  using stack = new DisposableStack();
  // Before the lock, which is a file as well: beside somebody else's there is to be none.
  inspectFile(path);
  stack.adopt(lockFile(path), (lock) => lock.close());
  const sql = stack.adopt(openFile(path, { isLasting }), (connection) => connection.close());
  return behindDoor(
    sql,
    { firstStepHoldMs, observeWrite, begin: (epochs) => epochs.resume(clock.now()) },
    stack.move(),
  );
};

/** Opens the store for reading, also beside a daemon; its writes throw StoreError. */
export const openSqliteStoreToRead = (path: string): Store => {
  using stack = new DisposableStack();
  const sql = stack.adopt(openFileToRead(path), (connection) => connection.close());
  return behindDoor(
    sql,
    { firstStepHoldMs: 0, observeWrite: () => {}, begin: (epochs) => epochs.read() },
    stack.move(),
  );
};

interface Door extends Required<Pick<SqliteStoreOptions, 'firstStepHoldMs' | 'observeWrite'>> {
  begin(epochs: Epochs): StoreEpoch;
}

/** The store over a connection; `owned` goes with it, and at once when the tables are not what they should be. */
const behindDoor = (
  sql: SQLite.Database,
  { firstStepHoldMs, observeWrite, begin }: Door,
  owned: DisposableStack,
): Store => {
  const path = sql.name;
  try {
    const revisions = new Revisions();
    const db = createDatabase(sql, firstStepHoldMs, observeWrite);
    const whole = revisions.counted(db, 'all');
    const partOf = (part: StorePart): Database => revisions.counted(db, part);
    const countProbe = sql.prepare(
      'INSERT INTO probe VALUES (1, 1) ON CONFLICT DO UPDATE SET writes = writes + 1',
    );
    const followClock = createPresent(whole);
    const epochs = createEpochs(db);
    const tables = {
      accounts: createAccountStore(partOf('accounts')),
      runs: createRunStore(partOf('runs'), epochs),
      traffic: createTrafficStore(partOf('traffic')),
      ledger: createLedgerStore(partOf('ledger')),
      users: createUserStore(partOf('users')),
      reconciliation: createReconciliationStore(partOf('reconciliation')),
      tests: createTestStore(partOf('tests')),
      targets: createTargetStore(partOf('targets')),
      catalog: createCatalogStore(partOf('catalog')),
      quotes: createQuoteStore(partOf('quotes')),
      geography: createGeographyStore(partOf('geography')),
      inventory: createInventoryStore(partOf('inventory')),
      services: createServiceStore(partOf('services')),
      endpoints: createEndpointStore(db),
      alerts: createAlertStore(db),
    };
    return {
      ...tables,
      // After all statements: a store whose tables are not what they should be is left as it is.
      epoch: begin(epochs),
      maintain: createMaintenance(whole),
      followClock,
      revision: (parts) => revisions.of(parts),
      size: () => ({ bytes: sizeOf(path), walBytes: sizeOf(`${path}-wal`) }),
      probe: async () => {
        db.write(() => countProbe.run());
      },
      [Symbol.dispose]: () => owned.dispose(),
    };
  } catch (error) {
    owned.dispose();
    throw asStoreError(error, path);
  }
};

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
