// Measures the store: polls of users, rounds of proxy tests, and 91 days of them.

import { statSync } from 'node:fs';
import SQLite from 'better-sqlite3';
import { DAY, HOUR, MINUTE } from '../src/lib/time.ts';
import { openSqliteStore } from '../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../src/store/store.ts';
import type { UserObservation } from '../src/store/user-store.ts';
import { failed, numbered, pagesOf, passed, randomNumbers, resultsOf, START, userOf } from './data.ts';
import { type Bench, costOf, inMb, inMs, optionsOf, printCost, temporaryFolder } from './harness.ts';

const USERS = 100_000;
const PROXIES = Array.from(
  { length: 1_000 },
  (_, n) => `0a6e8f1c-0000-4000-8000-${String(n).padStart(12, '0')}`,
);
const URLS = ['https://example.com/', 'shop'];
const TESTERS = Array.from({ length: 10 }, (_, n) => `london-${n}-example-proxytester-1`);
const BATCH = 20;
const FAILING_SHARE = 0.02;
/** As long as the store keeps sums of tests, and a day. */
const HISTORY_DAYS = 91;
/** Single readings take less time than the CPU time is exact. */
const READS = 200;

const random = randomNumbers(1);

/** Options: `--tests` leaves out the users, and `--history` adds 91 days of tests. */
export const store: Bench = async (args) => {
  const { tests, history } = optionsOf(args, { tests: false, history: false });
  for (const bench of [
    ...(tests ? [] : [benchUsers, benchBareUsers]),
    benchTests,
    ...(history ? [benchHistory] : []),
  ]) {
    using folder = temporaryFolder();
    await bench(`${folder.path}/store.db`);
  }
  return undefined;
};

const benchUsers = async (path: string): Promise<void> => {
  using store = openSqliteStore({ path, firstStepHoldMs: 0 });
  const { users } = store;
  const poll = async (share: number, now: number, meter: Meter): Promise<void> => {
    const seen = new Set<string>();
    for (const text of userPages(share))
      await meter.measure(async () => {
        const page = JSON.parse(text) as UserObservation[];
        await users.savePage('main', page, now);
        for (const { id } of page) seen.add(id);
      });
    await meter.measure(() => users.completeListing('main', seen, now, now));
  };
  await poll(0, START, new Meter(path));
  for (const share of [0, 0.01, 1]) {
    const [cpu, written] = [new Meter(path), new Meter(path, true)];
    await poll(share, START + MINUTE, cpu);
    await poll(share, START + 2 * MINUTE, written);
    console.log(
      `users, ${100 * share} % changed: CPU ${inMs(cpu.cpuMs)}, written ${inMb(written.walBytes, 1)}`,
    );
  }
  console.log(`users: file ${inMb(store.size().bytes, 1)}`);
  await printCost('users, all read', async () => {
    for (let page = await users.page('main', '', 500); page.length > 0; )
      page = await users.page('main', page.at(-1)?.id ?? '', 500);
  });
  for (const n of [1, 2])
    await printCost(`users, a complete listing that nobody is in, for the ${n}. time`, () =>
      users.completeListing('main', new Set(), START + n * DAY, START + n * DAY),
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
    console.log(`bare loop, ${100 * share} % changed: CPU ${inMs(meter.cpuMs)}`);
  }
  sql.close();
};

const usedBytes = new Float64Array(USERS);

/** Yields the pages of the listing as JSON, after a share of the users has used more. */
function* userPages(share: number): Generator<string> {
  for (const page of pagesOf([...usedBytes.keys()])) {
    const users = page.map((n) => {
      if (random() < share) usedBytes[n] = (usedBytes[n] ?? 0) + Math.floor(1e9 * random());
      const residential = { limitBytes: 1e12, usedBytes: usedBytes[n] ?? 0 };
      return userOf(numbered('user', n), {
        quotas: { residential, mobile: { limitBytes: null, usedBytes: 0 } },
      });
    });
    yield JSON.stringify(users);
  }
}

const benchTests = async (path: string): Promise<void> => {
  using store = openSqliteStore({ path, firstStepHoldMs: 0 });
  for (let n = 0; n < 3; n += 1) await runRound(store, START + n * 10 * MINUTE, new Meter(path));
  let [cpuMs, walBytes] = [0, 0];
  for (let n = 3; n < 9; n += 1) {
    const meter = new Meter(path, true);
    await runRound(store, START + n * 10 * MINUTE, meter);
    console.log(`tests, a cycle: CPU ${inMs(meter.cpuMs)} written ${inMb(meter.walBytes, 1)}`);
    [cpuMs, walBytes] = [cpuMs + meter.cpuMs / 6, walBytes + meter.walBytes / 6];
  }
  console.log(`tests, the mean of an hour's cycles: CPU ${inMs(cpuMs)} written ${inMb(walBytes, 1)}`);
  await printCost('tests, all cells read', () => store.tests.cells('main', PROXIES));
};

/** Hourly rounds for 91 days. They make as many rows as a round every ten minutes, in a sixth of the time. */
const benchHistory = async (path: string): Promise<void> => {
  using store = openSqliteStore({ path, firstStepHoldMs: 0 });
  const [meter, end] = [new Meter(path), START + HISTORY_DAYS * DAY];
  for (let at = START + HOUR; at <= end; at += HOUR) {
    await runRound(store, at - HOUR, meter);
    if ((at - START) % (30 * DAY) === 0 || at === end)
      console.log(`tests, ${(at - START) / DAY} days: file ${inMb(store.size().bytes, 1)}`);
  }
  const read = async (what: string, days: readonly number[]): Promise<void> => {
    const periods = days.map((each) => ({ from: end - each * DAY, to: end }));
    const { cpuMs } = await costOf(async () => {
      for (const proxy of PROXIES.slice(0, READS)) await store.tests.uptimes('main', { proxy }, periods);
    }, false);
    console.log(`uptime of a proxy over ${what}: CPU ${inMs(cpuMs / READS, 2)}`);
  };
  for (const days of [1, 7, 30, 90]) await read(`${days} d`, [days]);
  await read('all of these', [1, 7, 30, 90]);
};

/** One round: a test of every proxy, in the same batches each time, as the planner picks the longest untested first. */
const runRound = async (store: Store, now: number, meter: Meter): Promise<void> => {
  for (const proxies of pagesOf(PROXIES, BATCH)) {
    const results = resultsOf(proxies, URLS, TESTERS, (proxy, url, tester) =>
      random() >= FAILING_SHARE
        ? passed(proxy, url, tester, Math.round(50 + 3_000 * random()))
        : failed([proxy, url, tester], 'target', `connect_error_${Math.floor(random() * 5)}`),
    );
    await meter.measure(() => store.tests.saveBatch('main', { results, proxies, now }));
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

  #emptyLog(): number {
    const sql = new SQLite(this.#path);
    const { size } = statSync(`${this.#path}-wal`);
    sql.pragma('wal_checkpoint(TRUNCATE)');
    sql.close();
    return size;
  }
}
