// Measures the store: polls of 100,000 users, rounds of proxy tests, and 91 days of them: node bench/store.ts

import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { DAY, HOUR, MINUTE } from '../src/lib/time.ts';
import { openSqliteStore } from '../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../src/store/store.ts';
import type { ProxyTestResult } from '../src/store/test-history-store.ts';
import type { UserObservation } from '../src/store/user-store.ts';

const START = Date.parse('2026-03-01T00:00:00Z');
const USERS = 100_000;
const USERS_PER_PAGE = 100;
const PROXIES = 1_000;
const URLS = ['https://example.com/', 'shop'];
const TESTERS = Array.from({ length: 10 }, (_, n) => `london-${n}-example-proxytester-1`);
const BATCH = 20;
const ROUND_MS = 10 * MINUTE;
const FAILING_SHARE = 0.02;
/** As long as the store keeps sums of tests, and a day. */
const HISTORY_DAYS = 91;

export const store = async (): Promise<void> => {
  if (!process.argv.includes('--tests')) await inFolder(benchUsers);
  if (!process.argv.includes('--tests')) await inFolder(async (path) => benchBareUsers(path));
  await inFolder(benchTests);
  if (process.argv.includes('--history')) await inFolder(benchHistory);
};

const benchUsers = async (path: string): Promise<void> => {
  using sqliteStore = openSqliteStore({ path, firstStepHoldMs: 0 });
  const poll = async (share: number, now: number, meter: Meter): Promise<void> => {
    const seen = new Set<string>();
    for (const text of userPages(share)) {
      await meter.measure(async () => {
        const users = JSON.parse(text) as UserObservation[];
        await sqliteStore.users.savePage('main', users, now);
        for (const { id } of users) seen.add(id);
      });
    }
    await meter.measure(() => sqliteStore.users.completeListing('main', seen, now, now));
  };
  await poll(0, START, new Meter(path));
  for (const share of [0, 0.01, 1]) {
    const [cpu, written] = [new Meter(path), new Meter(path, true)];
    await poll(share, START + MINUTE, cpu);
    await poll(share, START + 2 * MINUTE, written);
    console.log(`users, ${100 * share} % changed: CPU ${ms(cpu.cpuMs)}, written ${mb(written.walBytes)}`);
  }
  console.log(`users: file ${mb(sqliteStore.size().bytes)}`);
  const meter = new Meter(path);
  await meter.measure(async () => {
    for (let after = '', page = await sqliteStore.users.page('main', after, 500); page.length > 0; ) {
      after = page.at(-1)?.id ?? after;
      page = await sqliteStore.users.page('main', after, 500);
    }
  });
  console.log(`users, all read: CPU ${ms(meter.cpuMs)}`);
  for (const n of [1, 2]) {
    const missed = sqliteStore.users.completeListing.bind(
      sqliteStore.users,
      'main',
      new Set(),
      START + n * DAY,
      START + n * DAY,
    );
    await measureBlock(`a complete listing that nobody is in, for the ${n}. time`, missed);
  }
};

/** No write may block the event loop for longer than this. */
const MAX_BLOCK_MS = 50;

/** Prints the longest block of the event loop: as CPU time, which other programs do not affect, and as wall time. */
const measureBlock = async (what: string, work: () => Promise<unknown>): Promise<void> => {
  let [longestCpuMs, longestMs, isDone] = [0, 0, false];
  let [cpu, at] = [process.cpuUsage(), performance.now()];
  const turn = (): void => {
    const { user, system } = process.cpuUsage(cpu);
    longestCpuMs = Math.max(longestCpuMs, (user + system) / 1_000);
    longestMs = Math.max(longestMs, performance.now() - at);
    [cpu, at] = [process.cpuUsage(), performance.now()];
    if (!isDone) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  await new Promise(setImmediate);
  isDone = true;
  const verdict = longestCpuMs > MAX_BLOCK_MS ? ': TOO LONG' : '';
  console.log(
    `users, ${what}: longest block ${ms(longestCpuMs)} CPU (${ms(longestMs)} by the clock) of ${MAX_BLOCK_MS} ms at most${verdict}`,
  );
};

/** Only parses, compares with the row, and inserts changed rows, which every store must do. */
const benchBareUsers = async (path: string): Promise<void> => {
  const sql = new SQLite(path);
  sql.pragma('journal_mode = WAL');
  sql.exec('CREATE TABLE user (id TEXT PRIMARY KEY, limited INTEGER, used INTEGER) WITHOUT ROWID');
  const find = sql.prepare<[string], { limited: number; used: number }>('SELECT * FROM user WHERE id = ?');
  const put = sql.prepare('INSERT OR REPLACE INTO user VALUES (?, ?, ?)');
  const savePage = sql.transaction((users: UserObservation[]) => {
    for (const { id, quotas } of users) {
      const { limitBytes, usedBytes } = quotas.residential;
      const row = find.get(id);
      if (row?.limited !== limitBytes || row?.used !== usedBytes) put.run(id, limitBytes, usedBytes);
    }
  });
  for (const share of [0, 0, 0.01, 1]) {
    const meter = new Meter(path);
    for (const text of userPages(share)) await meter.measure(async () => savePage(JSON.parse(text)));
    console.log(`bare loop, ${100 * share} % changed: CPU ${ms(meter.cpuMs)}`);
  }
  sql.close();
};

const benchTests = async (path: string): Promise<void> => {
  using sqliteStore = openSqliteStore({ path, firstStepHoldMs: 0 });
  for (let n = 0; n < 3; n += 1) await runRound(sqliteStore, START + n * ROUND_MS, new Meter(path));
  const hour = new Meter(path);
  for (let n = 3; n < 9; n += 1) {
    const meter = new Meter(path, true);
    await runRound(sqliteStore, START + n * ROUND_MS, meter);
    console.log(`tests, a cycle: CPU ${ms(meter.cpuMs)} written ${mb(meter.walBytes)}`);
    hour.add(meter);
  }
  const [cpuMs, walBytes] = [hour.cpuMs / 6, hour.walBytes / 6];
  console.log(`tests, the mean of an hour's cycles: CPU ${ms(cpuMs)} written ${mb(walBytes)}`);
  const names = Array.from({ length: PROXIES }, (_, n) => proxyName(n));
  const meter = new Meter(path);
  await meter.measure(() => sqliteStore.tests.cells('main', names));
  console.log(`tests, all cells read: CPU ${ms(meter.cpuMs)}`);
};

/** Hourly rounds for 91 days. They make as many rows as a round every ten minutes, in a sixth of the time. */
const benchHistory = async (path: string): Promise<void> => {
  using sqliteStore = openSqliteStore({ path, firstStepHoldMs: 0 });
  const meter = new Meter(path);
  const end = START + HISTORY_DAYS * DAY;
  for (let at = START; at < end; at += HOUR) {
    await runRound(sqliteStore, at, meter);
    if ((at - START + HOUR) % (30 * DAY) === 0)
      console.log(`tests, ${(at - START + HOUR) / DAY} days: file ${mb(sqliteStore.size().bytes)}`);
  }
  console.log(`tests, ${HISTORY_DAYS} days: file ${mb(sqliteStore.size().bytes)}`);
  const read = async (what: string, days: readonly number[]): Promise<void> => {
    const reading = new Meter(path);
    const periods = days.map((each) => ({ from: end - each * DAY, to: end }));
    for (let n = 0; n < READS; n += 1)
      await reading.measure(() => sqliteStore.tests.uptimes('main', { proxy: proxyName(n) }, periods));
    console.log(`uptime of a proxy over ${what}: CPU ${(reading.cpuMs / READS).toFixed(2)} ms`);
  };
  for (const days of [1, 7, 30, 90]) await read(`${days} d`, [days]);
  await read('all of these', [1, 7, 30, 90]);
};

/** Single readings take less time than the CPU time is exact. */
const READS = 200;

/** One round: a test of every proxy, in the same batches each time, as the planner picks the longest untested first. */
const runRound = async (sqliteStore: Store, now: number, meter: Meter): Promise<void> => {
  const order = Array.from({ length: PROXIES }, (_, n) => n);
  for (let start = 0; start < PROXIES; start += BATCH) {
    const proxies = order.slice(start, start + BATCH).map(proxyName);
    const results = proxies.flatMap((proxy) =>
      URLS.flatMap((url) => TESTERS.map((tester) => testResult(proxy, url, tester))),
    );
    await meter.measure(() => sqliteStore.tests.saveBatch('main', { results, proxies, now }));
  }
};

const proxyName = (n: number): string => `0a6e8f1c-0000-4000-8000-${String(n).padStart(12, '0')}`;

const testResult = (proxy: string, url: string, tester: string): ProxyTestResult => {
  const isSuccessful = random() >= FAILING_SHARE;
  return {
    proxy,
    url,
    tester,
    isSuccessful,
    errorSource: isSuccessful ? null : 'target',
    errorCode: isSuccessful ? null : `connect_error_${Math.floor(random() * 5)}`,
    responseTimeMs: isSuccessful ? Math.round(50 + 3_000 * random()) : null,
  };
};

const usedBytes = new Float64Array(USERS);

/** Yields the pages of the listing as JSON, after a share of the users has used more. */
const userPages = function* (share: number): Generator<string> {
  for (let start = 0; start < USERS; start += USERS_PER_PAGE) {
    const users = Array.from({ length: USERS_PER_PAGE }, (_, n): UserObservation => {
      const number = start + n;
      if (random() < share) usedBytes[number] = (usedBytes[number] ?? 0) + Math.floor(1e9 * random());
      const quota = { limitBytes: 1e12, usedBytes: usedBytes[number] ?? 0 };
      return {
        id: `user-${String(number).padStart(8, '0')}`,
        accessType: 'all',
        isDefault: false,
        isDeleted: false,
        strictSecurity: false,
        enforceHttps: false,
        details: {
          ...{ createdAt: '2026-01-01 12:00:00', updatedAt: '2026-01-02 12:00:00' },
          ...{ addressLimit: 5, addresses: 0, restrictedProxies: 0, restrictedServices: 0 },
        },
        quotas: { residential: quota, mobile: { limitBytes: null, usedBytes: 0 } },
      };
    });
    yield JSON.stringify(users);
  }
};

/** Adds up the CPU time of work. If `emptiesLog`, also adds up the bytes in the WAL and empties it after each piece. */
class Meter {
  cpuMs = 0;
  walBytes = 0;
  readonly #path: string;
  readonly #emptiesLog: boolean;

  constructor(path: string, emptiesLog = false) {
    this.#path = path;
    this.#emptiesLog = emptiesLog;
    if (emptiesLog) this.#emptyLog();
  }

  async measure(work: () => Promise<unknown>): Promise<void> {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    this.cpuMs += (user + system) / 1_000;
    if (this.#emptiesLog) this.walBytes += this.#emptyLog();
  }

  add({ cpuMs, walBytes }: Meter): void {
    this.cpuMs += cpuMs;
    this.walBytes += walBytes;
  }

  #emptyLog(): number {
    const sql = new SQLite(this.#path);
    const { size } = statSync(`${this.#path}-wal`);
    sql.pragma('wal_checkpoint(TRUNCATE)');
    sql.close();
    return size;
  }
}

const inFolder = async (work: (path: string) => Promise<void>): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'proxywatch-bench-'));
  try {
    await work(join(folder, 'store.db'));
  } finally {
    rmSync(folder, { recursive: true });
  }
};

/** Returns a generator of numbers in [0, 1), the same for the same seed (mulberry32). */
const randomNumbers = (seed: number) => {
  let state = seed;
  return (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

const random = randomNumbers(1);

const ms = (value: number): string => `${value.toFixed(0)} ms`;
const mb = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

if (import.meta.main) await store();
