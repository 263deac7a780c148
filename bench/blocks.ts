// Measures how long the store's writes block the event loop, with 100,000 users, proxies and other rows:
// node bench/blocks.ts [--rows 100000]

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DAY, HOUR, MINUTE } from '../src/lib/time.ts';
import type { InventoryProxy } from '../src/store/inventory-store.ts';
import type { LedgerRow, LedgerRule } from '../src/store/ledger-store.ts';
import type { SourceProxy } from '../src/store/source-proxy-store.ts';
import { openSqliteStore } from '../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../src/store/store.ts';
import type { UserObservation } from '../src/store/user-store.ts';

/** No other work, such as a scrape, may have to wait for longer than this. */
const MAX_BLOCK_MS = 50;
const START = Date.parse('2026-03-01T00:00:00Z');
const FUTURE = START + 30 * DAY;
const PAGE = 100;
const RETENTION = { rawMs: 8 * DAY, hourlyMs: 60 * DAY, dailyMs: 400 * DAY };

export const blocks = async (args: readonly string[]): Promise<void> => {
  const { values } = parseArgs({ args: [...args], options: { rows: { type: 'string', default: '100000' } } });
  const rows = Number(values.rows);
  console.log(
    `Longest block of the event loop, by writes over ${rows} rows; the bound is ${ms(MAX_BLOCK_MS)}:`,
  );
  for (const bench of [benchUsers, benchInventory, benchTargets, benchLedger, benchTests, benchTraffic])
    await inFolder((path) => bench(path, rows));
};

const benchUsers = async (path: string, rows: number): Promise<void> => {
  {
    using store = openSqliteStore({ path, firstStepHoldMs: 2 * MINUTE, isDurable: false });
    const ids = idsOf('user', rows);
    const list = async (users: readonly string[], at: number): Promise<void> => {
      await eachPage(users, (page) => store.users.savePage('main', page.map(userOf), at));
      await store.users.completeListing('main', new Set(users), at, at);
    };
    await measure('users: a first listing', () => list(ids, FUTURE));
    await measure('a clock that was ahead', () => store.correctFutureTimes(START, 'main'));
    await measure('users: two listings without any of them', async () => {
      for (const at of [START + HOUR, START + 2 * HOUR]) await list([], at);
    });
    const accounts = [{ name: 'main', zone: 'UTC', graphs: [], areUsersPolled: true }];
    await measure('maintenance: users that are gone', () => maintain(store, START + 500 * DAY, accounts));
    await list(ids, START + 500 * DAY);
    await measure('maintenance: an account that is configured no more', () =>
      maintain(store, START + 1_000 * DAY, []),
    );
  }
  await inFolder(async (path) => {
    {
      using store = openSqliteStore({ path, firstStepHoldMs: 0, isDurable: false });
      for (const page of pagesOf(idsOf('user', rows)))
        await store.users.savePage('main', page.map(userOf), START);
    }
    rmSync(`${path}.sequence`);
    await measure('at the start alone: opening, without a new epoch', async () =>
      openSqliteStore({ path, firstStepHoldMs: 0 })[Symbol.dispose](),
    );
  });
};

const benchInventory = async (path: string, rows: number): Promise<void> => {
  using store = openSqliteStore({ path, firstStepHoldMs: 0, isDurable: false });
  await store.inventory.open('main', START);
  const proxies = idsOf('proxy', rows).map(proxyOf);
  const others = proxies.map((proxy) => ({ ...proxy, address: '203.0.113.1' }));
  const [all, none] = [new Set(proxies.map(({ id }) => id)), new Set<string>()];
  const list = (changed: readonly InventoryProxy[], seen: ReadonlySet<string>, at: number) =>
    store.inventory.saveListing('main', { changed, seenIds: seen, startedAt: at, now: at, isComplete: true });
  await measure('inventory: a first listing', () => list(proxies, all, START));
  await measure('inventory: another address of every proxy', () => list(others, all, START + HOUR));
  await measure('inventory: a listing without any of them', () => list([], none, START + 2 * HOUR));
  await measure('inventory: a second one, so that all are gone', () => list([], none, START + 3 * HOUR));
  const accounts = [{ name: 'main', zone: 'UTC', graphs: [], areUsersPolled: false }];
  await measure('maintenance: old changes of the inventory', () =>
    maintain(store, START + 500 * DAY, accounts),
  );
};

const benchTargets = async (path: string, rows: number): Promise<void> => {
  using store = openSqliteStore({ path, firstStepHoldMs: 0, isDurable: false });
  const ids = idsOf('target', rows);
  await measure('targets: all that a source found', () =>
    store.sourceProxies.save('main', 'file', ids.map(targetOf), [], START),
  );
  await measure('targets: all of a source gone', () =>
    store.sourceProxies.save('main', 'file', [], ids, START),
  );
  await store.sourceProxies.save('main', 'file', ids.map(targetOf), [], START);
  await measure('targets: a source that is configured no more', () => store.sourceProxies.retain('main', []));
};

const benchLedger = async (path: string, rows: number): Promise<void> => {
  using store = openSqliteStore({ path, firstStepHoldMs: 0, isDurable: false });
  const { ledger } = store;
  const rule = (key: string): LedgerRule => ({
    key,
    usageReasons: ['usage'],
    balanceOf: (_reason, bytes) => ({ addedBytes: 0, usedBytes: key === 'first' ? -bytes : bytes }),
  });
  await ledger.applyRule('main', rule('first'));
  await measure('ledger: pages', async () => {
    await eachPage(idsOf('row', rows), (page) => ledger.savePage('main', page.map(ledgerRowOf), START));
  });
  await measure('ledger: a complete listing', () => ledger.completeListing('main', ['usage'], START, START));
  await measure('ledger: another rule', () => ledger.applyRule('main', rule('second')));
};

const benchTests = async (path: string, rows: number): Promise<void> => {
  using store = openSqliteStore({ path, firstStepHoldMs: 0, isDurable: false });
  const names = idsOf('proxy', rows / 5);
  const test = async (at: number): Promise<void> => {
    for (const proxies of pagesOf(names, 20)) {
      const results = proxies.flatMap((proxy) =>
        ['a', 'b'].flatMap((url) => ['x', 'y'].map((tester) => resultOf(proxy, url, tester))),
      );
      await store.tests.saveBatch('main', { results, proxies, now: at });
      await new Promise(setImmediate);
    }
  };
  await measure(`tests: batches of ${names.length} proxies`, () => test(START));
  await measure('tests: batches of another hour', () => test(START + HOUR));
  await measure('tests: batches after a month, which forget an hour and a day', () => test(START + 40 * DAY));
  await measure('a clock that was ahead of tests', () => store.correctFutureTimes(START, 'main'));
  await store.tests.saveBatch('main', {
    results: [resultOf('other', 'a', 'x')],
    proxies: ['other'],
    now: START + 900 * DAY,
  });
  await measure('tests: proxies that are tested no more', async () => {
    for (let pruned = 1; pruned > 0; ) {
      pruned = await store.tests.prune('main', { before: START + 500 * DAY, kept: new Set() }, 20);
      await new Promise(setImmediate);
    }
  });
};

const benchTraffic = async (path: string): Promise<void> => {
  using store = openSqliteStore({ path, firstStepHoldMs: 0, isDurable: false });
  const identity = {
    account: 'main',
    name: '',
    slice: '',
    requestFormat: 'UTC',
    zone: 'UTC',
    bucketMs: MINUTE,
  };
  const { id } = await store.traffic.openGraph(identity, START, START);
  const days = (store: Store) => async () => {
    for (let day = 0; day < 18; day += 1) {
      const buckets = Array.from({ length: 1_440 }, (_, n) => bucketAt(START + day * DAY + n * MINUTE));
      await store.traffic.saveWindow(id, { buckets, watermark: START, now: START });
      await new Promise(setImmediate);
    }
  };
  await measure('traffic: windows of a day', days(store));
  const accounts = [{ name: 'main', zone: 'UTC', graphs: [''], areUsersPolled: false }];
  await measure('maintenance: ten days of minutes', () => maintain(store, START + 18 * DAY, accounts));
  await measure('traffic: a graph that is read in another zone', () =>
    store.traffic.openGraph({ ...identity, requestFormat: 'Europe/Paris' }, START, START),
  );
};

type Kept = Parameters<Store['maintain']>[0]['accounts'];

const maintain = (store: Store, now: number, accounts: Kept): Promise<unknown> =>
  store.maintain({ now, retention: RETENTION, accounts, signal: new AbortController().signal });

/**
 * Prints the longest time between two turns of the event loop during the work: as CPU time, which other processes do
 * not affect, and as wall time, which includes waiting for the disk.
 */
const measure = async (name: string, work: () => Promise<unknown>): Promise<void> => {
  await new Promise(setImmediate);
  let isGoing = true;
  const startedAt = performance.now();
  let [lastAt, lastCpu, longest, longestCpu] = [startedAt, cpuMs(), 0, 0];
  const turn = (): void => {
    const [at, cpu] = [performance.now(), cpuMs()];
    longest = Math.max(longest, at - lastAt);
    longestCpu = Math.max(longestCpu, cpu - lastCpu);
    [lastAt, lastCpu] = [at, cpu];
    if (isGoing) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  turn();
  isGoing = false;
  const verdict = longestCpu > MAX_BLOCK_MS ? ', over the bound' : '';
  const all = `by the clock ${ms(longest)} of ${ms(lastAt - startedAt)} in all`;
  console.log(`${name}: ${ms(longestCpu)} of CPU${verdict}; ${all}`);
};

/** Returns the CPU time of this thread in ms. */
const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

const ms = (value: number): string => `${value.toFixed(0)} ms`;

const idsOf = (kind: string, rows: number): string[] =>
  Array.from({ length: rows }, (_, n) => `${kind}-${String(n).padStart(8, '0')}`);

function* pagesOf<T>(items: readonly T[], length = PAGE): Generator<T[]> {
  for (let from = 0; from < items.length; from += length) yield items.slice(from, from + length);
}

/** Saves page by page, with a turn of the event loop after each, as after the answer to a request. */
const eachPage = async (ids: readonly string[], save: (page: string[]) => Promise<void>): Promise<void> => {
  for (const page of pagesOf(ids)) {
    await save(page);
    await new Promise(setImmediate);
  }
};

const userOf = (id: string): UserObservation => ({
  ...{
    id,
    accessType: 'all',
    isDefault: false,
    isDeleted: false,
    strictSecurity: false,
    enforceHttps: false,
  },
  details: {
    ...{ createdAt: '2026-01-01 12:00:00', updatedAt: '2026-01-02 12:00:00' },
    ...{ addressLimit: 5, addresses: 0, restrictedProxies: 0, restrictedServices: 0 },
  },
  quotas: {
    residential: { limitBytes: 1e12, usedBytes: 1e9 },
    mobile: { limitBytes: null, usedBytes: 0 },
  },
});

const proxyOf = (id: string): InventoryProxy => ({
  ...{ id, productType: 'isp', protocol: 'ipv4', status: 'in_use', address: '192.0.2.1' },
  ...{ httpPort: 8_000, socks5Port: 8_000, subnetId: '192.0.2.0/24', asnId: 64_500, asnName: 'Example' },
  ...{
    cityId: 1,
    cityName: 'London',
    countryId: 'gb',
    serviceId: 'API-1',
    addressV6: null,
    addressIdV4: null,
  },
  ...{
    addressIdV6: null,
    subnetIdV6: null,
    lineItemId: null,
    updatedAt: START,
    users: 1,
    userIds: ['alice'],
  },
  ...{ latitude: 51.5, longitude: 0, examplePostcode: null, timeZone: null, countryName: null },
  ...{ subdivisionId: null, subdivisionName: null },
});

const targetOf = (id: string): SourceProxy => ({
  ...{ id, name: '', providerId: id, productType: 'isp', protocol: 'http', host: '192.0.2.1', port: 8_000 },
  ...{ username: 'alice', facts: null },
});

const ledgerRowOf = (id: string): LedgerRow => ({
  ...{ id, reason: 'usage', serviceId: 'API-1', periodDate: '2026-02-01', periodEnd: START, bytes: -1e9 },
  ...{ addedBytes: 0, usedBytes: 1e9, requests: 5, adjustmentId: null, createdAt: null, updatedAt: null },
});

const resultOf = (proxy: string, url: string, tester: string) => ({
  ...{ proxy, url, tester, isSuccessful: true, errorSource: null, errorCode: null, responseTimeMs: 200 },
});

const bucketAt = (at: number) => ({
  ...{ at, bytes: 1e9 + (at % 1e7), requests: 1e5, successful: 9e4, failed: 1e4, smartpathBytes: 1e6 },
  ...{ smartpathRequests: 1e3, smartpathMoneySaved: 1.5, concurrencyAverage: 12.5, concurrencyMax: 40 },
});

const inFolder = async (work: (path: string) => Promise<void>): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'proxywatch-bench-'));
  try {
    await work(join(folder, 'store.db'));
  } finally {
    rmSync(folder, { recursive: true });
  }
};

if (import.meta.main) await blocks(process.argv.slice(2));
