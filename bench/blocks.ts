// Measures how long the store's writes block the event loop, with 100,000 users, proxies and other rows, and what maintenance
// of 50 graphs costs. Options of `blocks`: `--rows` (100000).

import { rmSync } from 'node:fs';
import { DAY, HOUR, MINUTE } from '../src/lib/time.ts';
import type { InventoryProxy } from '../src/store/inventory-store.ts';
import type { LedgerRule } from '../src/store/ledger-store.ts';
import type { SourceProxy } from '../src/store/source-proxy-store.ts';
import { openSqliteStore } from '../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../src/store/store.ts';
import {
  eachPage,
  fillGraph,
  graphOf,
  idsOf,
  ledgerRowOf,
  listUsers,
  maintain,
  passed,
  proxyOf,
  resultsOf,
  START,
  userOf,
} from './data.ts';
import { type Bench, inMb, MAX_BLOCK_MS, optionsOf, printCost, temporaryFolder } from './harness.ts';

/** What a generator below measures next, in a store that it prepares. */
type Case = readonly [what: string, work: () => Promise<unknown>];
export const blocks: Bench = async (args) => {
  const { rows } = optionsOf(args, { rows: 100_000 });
  console.log(
    `Writes over ${rows} rows; the longest block of the event loop should be below ${MAX_BLOCK_MS} ms:`,
  );
  for (const cases of [users, inventory, targets, ledger, tests, traffic]) {
    using folder = temporaryFolder();
    using store = openSqliteStore({ path: `${folder.path}/store.db`, firstStepHoldMs: 0, isDurable: false });
    for await (const [what, work] of cases(store, rows)) await printCost(what, work);
  }
  await measureOpening(rows);
};

function* users(store: Store, rows: number): Iterable<Case> {
  const [ids, future] = [idsOf('user', rows), START + 30 * DAY];
  yield ['users: a first listing', () => listUsers(store, ids, future)];
  yield ['a clock that was ahead', () => store.correctFutureTimes(START, 'main')];
  yield [
    'users: two listings without any of them',
    async () => {
      for (const at of [START + HOUR, START + 2 * HOUR]) await listUsers(store, [], at);
    },
  ];
  yield ['maintenance: users that are removed', () => maintain(store, START + 500 * DAY)];
  yield ['users: a listing of all of them again', () => listUsers(store, ids, START + 500 * DAY)];
  yield [
    'maintenance: an account that is configured no more',
    () => maintain(store, START + 1_000 * DAY, null),
  ];
}

async function* inventory(store: Store, rows: number): AsyncIterable<Case> {
  await store.inventory.open('main', START);
  const proxies = idsOf('proxy', rows).map((id) => proxyOf(id));
  const others = proxies.map((proxy) => ({ ...proxy, address: '203.0.113.1' }));
  const [all, none] = [new Set(proxies.map(({ id }) => id)), new Set<string>()];
  const list = (changed: readonly InventoryProxy[], seenIds: ReadonlySet<string>, at: number) =>
    store.inventory.saveListing('main', { changed, seenIds, startedAt: at, now: at, isComplete: true });
  yield ['inventory: a first listing', () => list(proxies, all, START)];
  yield ['inventory: another address of every proxy', () => list(others, all, START + HOUR)];
  yield ['inventory: a listing without any of them', () => list([], none, START + 2 * HOUR)];
  yield ['inventory: a second one, so that all are removed', () => list([], none, START + 3 * HOUR)];
  yield [
    'maintenance: old changes of the inventory',
    () => maintain(store, START + 500 * DAY, { areUsersPolled: false }),
  ];
}

const targetOf = (id: string): SourceProxy => ({
  ...{ id, name: '', providerId: id, productType: 'isp', protocol: 'http', host: '192.0.2.1', port: 8_000 },
  ...{ username: 'alice', facts: null },
});

function* targets({ sourceProxies }: Store, rows: number): Iterable<Case> {
  const ids = idsOf('target', rows);
  const saveAll = () => sourceProxies.save('main', 'file', ids.map(targetOf), [], START);
  yield ['targets: all that a source found', saveAll];
  yield ['targets: all of a source removed', () => sourceProxies.save('main', 'file', [], ids, START)];
  yield ['targets: all found again', saveAll];
  yield ['targets: a source that is configured no more', () => sourceProxies.retain('main', [])];
}

async function* ledger({ ledger }: Store, rows: number): AsyncIterable<Case> {
  const rule = (key: string): LedgerRule => ({
    key,
    usageReasons: ['usage'],
    balanceOf: (_reason, bytes) => ({ addedBytes: 0, usedBytes: key === 'first' ? -bytes : bytes }),
  });
  await ledger.applyRule('main', rule('first'));
  yield [
    'ledger: pages',
    () =>
      eachPage(idsOf('row', rows), (page) =>
        ledger.savePage(
          'main',
          page.map((id) => ledgerRowOf(id)),
          START,
        ),
      ),
  ];
  yield ['ledger: a complete listing', () => ledger.completeListing('main', ['usage'], START, START)];
  yield ['ledger: another rule', () => ledger.applyRule('main', rule('second'))];
}

async function* tests(store: Store, rows: number): AsyncIterable<Case> {
  const names = idsOf('proxy', rows / 5);
  const save = (proxies: readonly string[], now: number): Promise<unknown> => {
    const results = resultsOf(proxies, ['a', 'b'], ['x', 'y'], (...of) => passed(of[0], of[1], of[2]));
    return store.tests.saveBatch('main', { results, proxies, now });
  };
  const test = (now: number) => eachPage(names, (proxies) => save(proxies, now), 20);
  yield [`tests: batches of ${names.length} proxies`, () => test(START)];
  yield ['tests: batches of another hour', () => test(START + HOUR)];
  yield ['tests: batches after a month, which forget an hour and a day', () => test(START + 40 * DAY)];
  yield ['a clock that was ahead of tests', () => store.correctFutureTimes(START, 'main')];
  await save(['other'], START + 900 * DAY);
  yield [
    'tests: proxies that are tested no more',
    async () => {
      for (let pruned = 1; pruned > 0; await new Promise(setImmediate))
        pruned = await store.tests.prune('main', { before: START + 500 * DAY, kept: new Set() }, 20);
    },
  ];
}

function* traffic(store: Store): Iterable<Case> {
  const span = { from: START, days: 18, now: START };
  yield ['traffic: windows of a day', () => fillGraph(store, graphOf(''), span)];
  const account = { graphs: [''], areUsersPolled: false };
  yield ['maintenance: ten days of minutes', () => maintain(store, START + 18 * DAY, account)];
  const elsewhere = graphOf('', { requestFormat: 'Europe/Paris' });
  yield [
    'traffic: a graph that is read in another zone',
    () => store.traffic.openGraph(elsewhere, START, START),
  ];
}

const measureOpening = async (rows: number): Promise<void> => {
  using folder = temporaryFolder();
  const path = `${folder.path}/store.db`;
  {
    using store = openSqliteStore({ path, firstStepHoldMs: 0, isDurable: false });
    await eachPage(idsOf('user', rows), (page) =>
      store.users.savePage(
        'main',
        page.map((id) => userOf(id)),
        START,
      ),
    );
  }
  rmSync(`${path}.sequence`);
  await printCost('at the start alone: opening, without a new epoch', async () =>
    openSqliteStore({ path, firstStepHoldMs: 0 })[Symbol.dispose](),
  );
};

const [GRAPHS, DAYS] = [50, 18];

/** Rolls up ten days of minutes of 50 graphs at once. */
export const maintenance: Bench = async () => {
  using folder = temporaryFolder();
  using store = openSqliteStore({ path: `${folder.path}/store.db`, firstStepHoldMs: 0 });
  const [graphs, now] = [idsOf('graph', GRAPHS), START + DAYS * DAY];
  const graph = { requestFormat: '', bucketMs: MINUTE };
  for (const name of graphs) await fillGraph(store, graphOf(name, graph), { from: START, days: DAYS, now });
  console.log(`before: file ${inMb(store.size().bytes, 1)}`);
  for (const what of [`ten days of ${GRAPHS} graphs`, 'nothing left to do'])
    await printCost(what, async () => {
      const { deletedRows } = await maintain(store, now, { graphs });
      console.log(`${deletedRows} rows`);
    });
  console.log(`after: file ${inMb(store.size().bytes, 1)}, log ${inMb(store.size().walBytes, 1)}`);
  return undefined;
};
