// Opens stores in temporary folders, and copies them as a crash would leave them.

import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { MINUTE } from '../../src/lib/time.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../../src/store/store.ts';
import type { Bucket, HistoryBucket } from '../../src/store/traffic-store.ts';
import type { UserDetails, UserObservation } from '../../src/store/user-store.ts';
import { writeEmptyStore } from '../support/empty-store.ts';

export const START = Date.parse('2026-03-01T12:00:00Z');
export const HOLD_MS = 2 * MINUTE;

/** The details of a user for which the provider gives only quotas. */
export const NO_USER_DETAILS: UserDetails = {
  createdAt: null,
  updatedAt: null,
  addressLimit: null,
  addresses: null,
  restrictedProxies: null,
  restrictedServices: null,
};

/** Creates a folder that is deleted when the test ends. */
export const makeFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'proxywatch-store-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

/** Opens a store, or creates it. Tests do not need durability, and without it they are faster. */
export const openStore = (path: string): Store => {
  writeEmptyStore(path);
  return openSqliteStore({ path, firstStepHoldMs: HOLD_MS, isDurable: false });
};

/** A bucket in which only these values are known. */
export const bucketAt = (at: number, values: Partial<Bucket>): Bucket => ({
  bytes: null,
  requests: null,
  successful: null,
  failed: null,
  smartpathBytes: null,
  smartpathRequests: null,
  smartpathMoneySaved: null,
  concurrencyAverage: null,
  concurrencyMax: null,
  ...values,
  at,
});

/** An observation of a user with these quotas. Quotas that are not given have no limit and no use. */
export const observationOf = (id: string, quotas: Partial<UserObservation['quotas']>): UserObservation => ({
  id,
  accessType: 'all',
  isDefault: false,
  isDeleted: false,
  strictSecurity: false,
  enforceHttps: true,
  quotas: { residential: NO_USE, mobile: NO_USE, ...quotas },
  details: NO_USER_DETAILS,
});

const NO_USE = { limitBytes: null, usedBytes: null };

/** Reads the whole history of a graph. */
export const historyOf = async (store: Store, graph: number): Promise<HistoryBucket[]> => {
  const buckets: HistoryBucket[] = [];
  for await (const bucket of store.traffic.history(graph, 0, Number.MAX_SAFE_INTEGER)) buckets.push(bucket);
  return buckets;
};

/** A store that can be closed and opened again, or lost in a crash. */
export class TestStore {
  #path: string;
  #store: Store;

  constructor(path = join(makeFolder(), 'store.db')) {
    this.#path = path;
    this.#store = openStore(path);
  }

  get store(): Store {
    return this.#store;
  }

  get path(): string {
    return this.#path;
  }

  restart(): void {
    this.#store[Symbol.dispose]();
    this.#store = openStore(this.#path);
  }

  /** Continues with a copy of what is on the disk now, including the log that is not checkpointed yet. */
  crash(): void {
    const copy = join(makeFolder(), 'store.db');
    for (const ending of ['', '-wal', '-journal']) {
      if (existsSync(this.#path + ending)) copyFileSync(this.#path + ending, copy + ending);
    }
    this.#store[Symbol.dispose]();
    this.#path = copy;
    this.#store = openStore(copy);
  }

  [Symbol.dispose](): void {
    this.#store[Symbol.dispose]();
    rmSync(join(this.#path, '..'), { recursive: true, force: true });
  }
}
