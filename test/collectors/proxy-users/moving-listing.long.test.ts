// Tests that counters stay exact while users are added and removed during a listing, and when a listing takes several runs.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createView } from '../../../src/daemon/http-view.ts';
import { readSummary } from '../../../src/http/api/users/users.ts';
import { HOUR, MINUTE, SECOND } from '../../../src/lib/time.ts';
import { formatLocal } from '../../../src/provider/time.ts';
import { type FakeProvider, type Reply, startFakeProvider } from '../../support/fake-provider.ts';
import { Harness } from '../../support/harness.ts';
import { lastRun, type Row, residentialUserRow } from '../stub-account.ts';

const START = '2026-07-06T12:01:30Z';
const PER_PAGE = 100;
const STEP = 5 * MINUTE;
const USAGE = 'proxywatch_proxy_user_usage_bytes_total';
const RESIDENTIAL = { product_type: 'residential' };

interface User {
  readonly id: string;
  used: number;
  readonly createdAt: number | null;
}

/** A provider whose users change while its pages are requested. */
class ChangingAccount implements AsyncDisposable {
  readonly users: User[] = [];
  /** The numbers of the requested pages. */
  requestedPages: number[] = [];
  /** Runs before a page is answered. If it returns a reply, the reply replaces the page. */
  beforePage: (page: number, count: number) => Reply | undefined = () => undefined;
  zone = 'UTC';
  #provider: FakeProvider | undefined;

  static async start(): Promise<ChangingAccount> {
    const account = new ChangingAccount();
    account.#provider = await startFakeProvider(({ query }) => {
      const page = Number(query.page);
      account.requestedPages.push(page);
      return account.beforePage(page, account.requestedPages.length) ?? { body: account.#page(page) };
    });
    return account;
  }

  add(id: string, used: number, createdAt: number | null): void {
    this.users.push({ id, used, createdAt });
    this.users.sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  #page(page: number): Row {
    const rows = this.users.slice((page - 1) * PER_PAGE, page * PER_PAGE);
    return { data: rows.map((user) => this.#row(user)), total_count: this.users.length };
  }

  #row({ id, used, createdAt }: User): Row {
    const created = createdAt === null ? null : formatLocal(createdAt, this.zone);
    return residentialUserRow(id, null, used, { proxy_user_creation_datetime: created });
  }

  buildHarness(more: Row = {}): Promise<Harness> {
    return Harness.build({
      now: START,
      firstStepHold: '0s',
      account: {
        base_url: this.#provider?.baseUrl,
        ...{ traffic: false, residential_ledger: false, reconciliation: false },
        proxy_users: { schedule: '*/5 * * * *' },
        ...more,
      },
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#provider?.[Symbol.asyncDispose]();
  }
}

const idOf = (n: number): string => `user-${String(n).padStart(6, '0')}`;
const usageOf = async (harness: Harness, id: string): Promise<number | undefined> =>
  (await harness.samples()).value(USAGE, { ...RESIDENTIAL, proxy_user_id: id });
const LONG_AGO = Date.parse('2026-01-01T00:00:00Z');

describe('users that are created during a listing', () => {
  it('do not disturb counts, use and successes, and their own use counts completely', async () => {
    await using account = await ChangingAccount.start();
    for (let n = 0; n < 2_000; n += 1) account.add(idOf(10 * n), 1_000, LONG_AGO);
    let made = 0;
    let now = Date.parse(START);
    account.beforePage = (page, count) => {
      // The new user may sort anywhere, including before the page that is read.
      if (count % 15 === 0) account.add(idOf(10 * ((7_919 * ++made) % 2_000) + 1), 50, now);
      if (page === 1) for (const user of account.users.slice(0, 3)) user.used += 1;
      return undefined;
    };
    await using harness = await account.buildHarness();
    for (let run = 1; run < 41; run += 1) {
      now += STEP;
      await harness.advance(STEP);
    }
    expect(account.requestedPages.length).toBeLessThan(41 * 22);
    const samples = await harness.samples();
    expect(samples.value('proxywatch_collector_last_success_timestamp_seconds')).toBeGreaterThan(
      (harness.clock.now() - 3 * STEP) / SECOND,
    );
    const counted = samples.value('proxywatch_proxy_users', { is_deleted: 'false' }) ?? 0;
    expect(Math.abs(counted - account.users.length)).toBeLessThanOrEqual(3);
    const { app, clock } = harness;
    const view = createView({ app, clock, version: '1.2.3' });
    expect((await readSummary(view, []))[0]?.users).toBe(counted);
    const usage = samples.by('proxy_user_id', USAGE, RESIDENTIAL);
    // This user was first seen on the very first page, after its use had grown once.
    expect(usage[idOf(0)]).toBe((account.users[0]?.used ?? 0) - 1_001);
    const countedCompletely = account.users.filter(({ id }) => id.endsWith('1') && usage[id] !== undefined);
    expect(countedCompletely.length).toBeGreaterThan(40);
    for (const { id, used } of countedCompletely.slice(3)) expect([id, usage[id]]).toEqual([id, used]);
  });

  it.each([
    ['without a creation time', null, 'UTC', 0],
    ['since the first poll', Date.parse(START) + MINUTE, 'UTC', 50],
    ['before the first poll', Date.parse(START) - MINUTE, 'UTC', 0],
    ['in another zone than the configured one', Date.parse(START) + MINUTE, 'Europe/Berlin', 0],
  ])('before a complete listing, %s, count their earlier use accordingly', async (_, at, zone, usage) => {
    await using account = await ChangingAccount.start();
    for (let n = 0; n < 250; n += 1) account.add(idOf(n), 1_000, LONG_AGO);
    account.zone = zone;
    account.beforePage = (page, count) => {
      if (page === 2) account.add(`z${count}`, 0, null);
      return undefined;
    };
    await using harness = await account.buildHarness();
    account.add('new', 50, at);
    await harness.advance(STEP);
    expect(await usageOf(harness, 'new')).toBe(usage);
    const user = account.users.find(({ id }) => id === 'new');
    if (user) user.used += 7;
    await harness.advance(STEP);
    expect(await usageOf(harness, 'new')).toBe(usage + 7);
  });
});

describe('a listing that is interrupted', () => {
  it('continues one page back in the next run, is partial until its end, and removes no user', async () => {
    await using account = await ChangingAccount.start();
    for (let n = 0; n < 1_000; n += 1) account.add(idOf(n), 0, LONG_AGO);
    await using harness = await account.buildHarness();
    account.users.splice(500, 1);
    for (const user of account.users) user.used += 5;
    account.requestedPages = [];
    let isDown = true;
    account.beforePage = (page) => (isDown && page === 5 ? { status: 500 } : undefined);
    await harness.advance(STEP);
    expect(account.requestedPages.filter((page) => page < 5)).toEqual([1, 2, 3, 4]);
    expect(await lastRun(harness)).toEqual({ result: 'partial', errorKind: 'server' });
    expect(await usageOf(harness, idOf(399))).toBe(5);
    expect(await usageOf(harness, idOf(400))).toBe(0);
    isDown = false;
    account.requestedPages = [];
    await harness.advance(STEP);
    expect(account.requestedPages).toEqual([4, 5, 6, 7, 8, 9, 10]);
    expect(await lastRun(harness)).toEqual({ result: 'ok', errorKind: null });
    expect(await usageOf(harness, idOf(400))).toBe(5);
    await harness.advance(STEP);
    expect(await usageOf(harness, idOf(500))).toBe(0);
    await harness.advance(STEP);
    expect(await usageOf(harness, idOf(500))).toBeUndefined();
  });

  it('completes over several runs if it takes longer than one run may', async () => {
    await using account = await ChangingAccount.start();
    for (let n = 0; n < 2_000; n += 1) account.add(idOf(n), 100, LONG_AGO);
    await using harness = await account.buildHarness();
    const ends: number[] = [];
    let [isSlow, readInRun] = [true, 0];
    account.beforePage = () => {
      readInRun += 1;
      // Each run ends after eight pages.
      return isSlow && readInRun > 8 ? { status: 503 } : undefined;
    };
    for (let run = 0; run < 9; run += 1) {
      readInRun = 0;
      for (const user of account.users) user.used += 1;
      await harness.advance(STEP);
      const [state] = await harness.app.store.runs.states('main');
      if (state?.result === 'ok') ends.push(run);
    }
    expect(ends).toEqual([2, 5, 8]);
    const [state] = await harness.app.store.runs.states('main');
    expect(state?.wholeListingMs).toBeGreaterThan(2 * STEP);
    isSlow = false;
    await harness.advance(STEP);
    for (const n of [0, 1_000, 1_999]) expect(await usageOf(harness, idOf(n))).toBe(9);
  });

  it('begins again at page 1 if one page keeps failing, and after hours', async () => {
    await using account = await ChangingAccount.start();
    for (let n = 0; n < 500; n += 1) account.add(idOf(n), 0, LONG_AGO);
    await using harness = await account.buildHarness();
    account.beforePage = (page) => (page === 4 ? { status: 500 } : undefined);
    const firstPages: (number | undefined)[] = [];
    const results: (string | undefined)[] = [];
    for (const step of [STEP, STEP, STEP, STEP, STEP, 3 * HOUR]) {
      account.requestedPages = [];
      await harness.advance(step);
      firstPages.push(account.requestedPages[0]);
      results.push((await lastRun(harness)).result);
    }
    expect(firstPages).toEqual([1, 3, 1, 3, 1, 1]);
    expect(results).toEqual(['partial', 'failed', 'failed', 'failed', 'failed', 'partial']);
  });

  it('counts use to the byte, no matter which users are added and removed and where it is interrupted', async () => {
    const run = fc.record({
      grow: fc.array(fc.record({ user: fc.nat(400), by: fc.nat(1_000) }), { maxLength: 5 }),
      make: fc.array(fc.record({ at: fc.nat(4_000), page: fc.integer({ min: 1, max: 5 }) }), {
        maxLength: 3,
      }),
      remove: fc.array(fc.record({ user: fc.nat(400), page: fc.integer({ min: 1, max: 5 }) }), {
        maxLength: 2,
      }),
      failsAt: fc.option(fc.integer({ min: 1, max: 6 }), { nil: null, freq: 2 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.boolean(), fc.array(run, { minLength: 1, maxLength: 6 }), async (isStill, runs) => {
        await using account = await ChangingAccount.start();
        for (let n = 0; n < 400; n += 1) account.add(idOf(10 * n), 1_000, LONG_AGO);
        account.beforePage = (page) => {
          if (!isStill && page === 2) account.add('without a date', 1_000, null);
          return undefined;
        };
        const truth = new Map<string, number>();
        const counts = (id: string, by: number) => truth.set(id, (truth.get(id) ?? 0) + by);
        await using harness = await account.buildHarness();
        for (const [index, { grow, make, remove, failsAt }] of runs.entries()) {
          for (const { user, by } of grow) {
            const grown = account.users[user % account.users.length];
            if (grown) grown.used += by;
            if (grown) counts(grown.id, by);
          }
          const done = new Set<number>();
          account.beforePage = (page) => {
            if (page === failsAt) return { status: 500 };
            if (done.has(page)) return undefined;
            done.add(page);
            for (const { at, page: when } of make) {
              const id = `${idOf(at)}-${index}`;
              if (when !== page || account.users.some((user) => user.id === id)) continue;
              account.add(id, 50, harness.clock.now());
              counts(id, 50);
            }
            for (const { user, page: when } of remove)
              if (when === page) account.users.splice(user % account.users.length, 1);
            return undefined;
          };
          await harness.advance(STEP);
        }
        account.beforePage = () => undefined;
        // A listing from page 1 sees users that the interrupted one missed.
        for (const _ of [1, 2]) await harness.advance(STEP);
        const usage = (await harness.samples()).by('proxy_user_id', USAGE, RESIDENTIAL);
        for (const { id } of account.users) expect([id, usage[id]]).toEqual([id, truth.get(id) ?? 0]);
      }),
      { numRuns: 12 },
    );
  });

  it('keeps its place until the end of an outage', async () => {
    await using account = await ChangingAccount.start();
    for (let n = 0; n < 500; n += 1) account.add(idOf(n), 0, LONG_AGO);
    await using harness = await account.buildHarness();
    let failsFrom = 4;
    account.beforePage = (page) => (page >= failsFrom ? { status: 500 } : undefined);
    await harness.advance(STEP);
    failsFrom = 1;
    await harness.advance(STEP);
    failsFrom = 9;
    account.requestedPages = [];
    await harness.advance(STEP);
    expect(account.requestedPages).toEqual([3, 4, 5]);
  });
});
