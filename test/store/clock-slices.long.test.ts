// Tests that future times are corrected in slices: no reader sees a counter fall in between, and after a kill between
// two slices the next process continues to the same result.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { DAY, HOUR, MINUTE } from '../../src/lib/time.ts';
import { shownCounter } from '../../src/store/counter.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../../src/store/store.ts';
import { bucketAt, HOLD_MS, makeFolder, observationOf, START } from './support.ts';

const AHEAD = START + 30 * DAY;
/** The newest stored time. Counters that were new at AHEAD are shown by then. */
const STORED = AHEAD + HOLD_MS;
const NOW = START + HOUR;
const YOUNG = 520;

/** These tests kill the process only, so the store need not survive a power loss. */
const openStore = (path: string, observeWrite?: () => void): Store =>
  openSqliteStore({
    path,
    firstStepHoldMs: HOLD_MS,
    isDurable: false,
    ...(observeWrite && { observeWrite }),
  });

const user = (id: string, usedBytes: number) =>
  observationOf(id, { residential: { limitBytes: 1e6, usedBytes } });
const young = Array.from({ length: YOUNG }, (_, n) => user(`young-${n}`, 1 + n));

const saveUsers = async (store: Store, users: ReturnType<typeof user>[], now: number): Promise<void> => {
  await store.users.savePage('main', users, now);
  await store.users.completeListing('main', new Set(users.map(({ id }) => id)), now, now);
};

const saveTests = (store: Store, testers: readonly string[], now: number): Promise<void> =>
  store.tests.saveBatch('main', {
    results: testers.flatMap((tester) =>
      ['fr-1', 'fr-2'].map((proxy) => ({
        ...{ proxy, url: 'shop', tester, isSuccessful: proxy === 'fr-1', responseTimeMs: 200 },
        ...{ errorSource: proxy === 'fr-1' ? null : 'target', errorCode: null },
      })),
    ),
    proxies: ['fr-1', 'fr-2'],
    now,
  });

const ledgerRow = (id: string, usedBytes: number) => ({
  ...{ id, reason: id, serviceId: null, periodDate: '2026-03-01', periodEnd: AHEAD + DAY },
  ...{ bytes: -usedBytes, addedBytes: 0, usedBytes, requests: 0 },
  ...{ adjustmentId: null, createdAt: null, updatedAt: null },
});

const identity = { account: 'main', slice: '{}', requestFormat: 'UTC', zone: 'UTC', bucketMs: MINUTE };

const saveTraffic = async (store: Store, name: string, at: number, bytes: number): Promise<void> => {
  const graph = await store.traffic.openGraph({ ...identity, name }, START - DAY, at);
  const baseline = graph.baselinedAt === null ? { baselinedAt: at } : {};
  const buckets = [bucketAt(at - MINUTE, { bytes: 0 }), bucketAt(START - HOUR, { bytes })];
  await store.traffic.saveWindow(graph.id, { buckets, watermark: at, now: at, ...baseline });
};

/** Writes counters of each kind: long shown, shown since the clock was ahead, and still held. */
const writeStore = async (path: string): Promise<void> => {
  using store = openStore(path);
  await saveUsers(store, [user('old', 0)], START);
  await saveTests(store, ['london'], START);
  await store.ledgers.residential.savePage('main', [ledgerRow('usage', 1)], START);
  await store.ledgers.residential.completeListing('main', ['usage'], START, START);
  await saveTraffic(store, 'old', START, 5);
  await saveUsers(store, [user('old', 5), ...young], AHEAD);
  await saveTests(store, ['london', 'paris'], AHEAD);
  await store.ledgers.residential.savePage('main', [ledgerRow('usage', 3), ledgerRow('top_up', 4)], AHEAD);
  await saveTraffic(store, 'old', AHEAD, 15);
  await saveTraffic(store, 'young', AHEAD, 5);
  await saveTraffic(store, 'young', AHEAD, 8);
  await saveUsers(store, [user('old', 7), ...young, user('newest', 9)], STORED);
  await saveTests(store, ['london', 'paris', 'rome'], STORED);
  await store.ledgers.residential.savePage('main', [ledgerRow('usage', 6), ledgerRow('overage', 2)], STORED);
  await saveTraffic(store, 'old', STORED, 20);
  await saveTraffic(store, 'young', STORED, 11);
  await saveTraffic(store, 'newest', STORED, 1);
  await saveTraffic(store, 'newest', STORED, 4);
};

/** Returns every counter as /metrics would show it. */
const shownBy = async (store: Store): Promise<Map<string, number>> => {
  const values = new Map<string, number>();
  const { storedAt } = await store.users.listing('main');
  for (const { id, quotas } of await store.users.page('main', '', 9_999))
    values.set(id, shownCounter(quotas.residential.usage, storedAt).value);
  const testedAt = (await store.tests.storedAt('main')) ?? 0;
  for (const { proxy, tester, results, heldUntil } of await store.tests.cells('main', ['fr-1', 'fr-2']))
    values.set(`${proxy} ${tester}`, testedAt >= heldUntil ? results : 0);
  for (const { proxy, count, heldUntil } of await store.tests.failures('main'))
    values.set(`failures ${proxy}`, testedAt >= heldUntil ? count : 0);
  const { listing, reasons } = await store.ledgers.residential.summary('main');
  for (const { reason, counters } of reasons)
    values.set(`ledger ${reason}`, shownCounter(counters.usedBytes, listing.storedAt).value);
  for (const { id, name, readAt } of await store.traffic.graphs('main'))
    values.set(`traffic ${name}`, shownCounter((await store.traffic.counters(id)).bytes, readAt).value);
  return values;
};

const decreased = (before: Map<string, number>, after: Map<string, number>): string[] =>
  [...before].filter(([name, value]) => (after.get(name) ?? -1) < value).map(([name]) => name);

/** Returns all rows of all tables except those that an opening changes. */
const rowsOf = (path: string): string => {
  const sql = new SQLite(path, { readonly: true });
  const tables = sql
    .prepare<[], string>(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT IN ('epoch', 'sqlite_sequence')",
    )
    .pluck()
    .all();
  const rows = tables.map((table) => [table, sql.prepare(`SELECT * FROM ${table}`).all()]);
  sql.close();
  return JSON.stringify(rows);
};

let template: Buffer;
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'proxywatch-store-'));
  await writeStore(join(folder, 'store.db'));
  template = readFileSync(join(folder, 'store.db'));
  rmSync(folder, { recursive: true });
});

const copyOfStore = (): string => {
  const path = join(makeFolder(), 'store.db');
  writeFileSync(path, template);
  return path;
};

/** Corrects future times in a process that is killed after that number of writes. Returns whether it got that far. */
const killedAfter = async (path: string, writes: number, now: number): Promise<boolean> => {
  let left = Number.POSITIVE_INFINITY;
  using store = openStore(path, () => {
    left -= 1;
    if (left <= 0) throw new Error('killed');
  });
  left = writes;
  try {
    await store.correctFutureTimes(now, 'main');
    return false;
  } catch {
    return true;
  }
};

describe('future times', () => {
  it('are corrected in slices, between which readers see no counter fall', async () => {
    using store = openStore(copyOfStore());
    let last = await shownBy(store);
    expect(last.get('old')).toBe(7);
    expect(last.get('young-9')).toBe(10);
    expect(last.get('newest')).toBe(0);
    let isRunning = true;
    const pass = store.correctFutureTimes(NOW, 'main').finally(() => {
      isRunning = false;
    });
    let turns = 0;
    for (; isRunning; turns += 1) {
      await new Promise(setImmediate);
      const values = await shownBy(store);
      expect(decreased(last, values)).toEqual([]);
      last = values;
    }
    expect(await pass).toBe(true);
    expect(turns).toBeGreaterThan(10);
    expect(last.get('newest')).toBe(0);
    expect(last.get('traffic newest')).toBe(0);
    expect(last.get('fr-1 rome')).toBe(0);
  });

  it('are the same after a kill at any slice, and no counter falls meanwhile', async () => {
    const whole = copyOfStore();
    using store = openStore(whole);
    const before = await shownBy(store);
    await store.correctFutureTimes(NOW, 'main');
    const rows = rowsOf(whole);
    let kills = 0;
    for (let writes = 1; ; writes += 1) {
      const path = copyOfStore();
      if (!(await killedAfter(path, writes, NOW))) break;
      kills += 1;
      using next = openStore(path);
      expect(decreased(before, await shownBy(next))).toEqual([]);
      await next.correctFutureTimes(NOW, 'main');
      expect(rowsOf(path) === rows).toBe(true);
    }
    expect(kills).toBeGreaterThan(10);
  });

  it('never make a counter fall, whenever the process is killed and whatever the clock says next', async () => {
    const moment = fc.integer({ min: -90, max: 90 });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 45 }),
        moment,
        fc.array(moment, { maxLength: 3 }),
        async (writes, first, others) => {
          const path = copyOfStore();
          await killedAfter(path, writes, NOW + first * MINUTE);
          using store = openStore(path);
          let last = await shownBy(store);
          let now = NOW;
          for (const minutes of [0, ...others]) {
            now = NOW + minutes * MINUTE;
            await store.correctFutureTimes(now, 'main');
            await saveUsers(store, [user('old', 7), ...young, user('newest', 9)], now);
            await saveTests(store, ['london', 'rome'], now);
            const values = await shownBy(store);
            expect(decreased(last, values)).toEqual([]);
            last = values;
          }
          // A time up to a minute ahead is not corrected, and its hold ends that much later.
          const end = now + HOLD_MS + MINUTE;
          await store.correctFutureTimes(end, 'main');
          await saveUsers(store, [user('old', 7), ...young, user('newest', 9)], end);
          expect((await shownBy(store)).get('newest')).toBe(9);
        },
      ),
      { numRuns: 10 },
    );
  });

  it('are corrected once for simultaneous calls', async () => {
    using store = openStore(copyOfStore());
    const found = await Promise.all(
      [NOW, NOW + 1, NOW + 2].map((now) => store.correctFutureTimes(now, 'main')),
    );
    expect(found).toEqual([true, false, false]);
    expect((await store.users.listing('main')).storedAt).toBe(NOW);
  });

  it('that a run stores meanwhile are corrected by the next call, and no counter falls', async () => {
    using store = openStore(copyOfStore());
    const pass = store.correctFutureTimes(NOW, 'main');
    // A run that began while the clock was ahead stores more pages, with the newest user's first step among them.
    const startedAt = STORED + HOLD_MS;
    for (let page = 0; page < 3; page += 1) {
      await store.users.savePage('main', [user('newest', 9)], NOW, startedAt);
      await new Promise(setImmediate);
    }
    const between = await shownBy(store);
    expect(between.get('newest')).toBe(9);
    await pass;
    expect(decreased(between, await shownBy(store))).toEqual([]);
    expect(await store.correctFutureTimes(NOW, 'main')).toBe(true);
    expect(decreased(between, await shownBy(store))).toEqual([]);
    expect((await store.users.listing('main')).storedAt).toBe(NOW);
  });
});
