// Tests a listing of 100,000 proxy users at 8 requests a second over HTTP: it delays no poll of traffic and retains no page.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { MINUTE, SECOND } from '../../src/lib/time.ts';
import type { UserStore } from '../../src/store/user-store.ts';
import { LiveDaemon } from '../support/live-daemon.ts';

const USERS = 100_000;
const PAGES = USERS / 100;
const START = '2026-07-06T12:01:30Z';
/** Pages between two counts of the retained ones. */
const COUNT_EVERY = 100;

it('of 100,000 users does not delay the polls of traffic, and holds one page at a time', async () => {
  await using daemon = await LiveDaemon.start(START, [
    {
      name: 'main',
      scenario: { users: USERS, pace: 8 },
      settings: { requests_per_second: 8, traffic: { catch_up: '2h', reread: '30m' } },
    },
  ]);
  const { app, clock } = daemon;
  const pages = new RetainedPages(app.store.users);
  const traffic = new Map<number, number>();
  let listedMs = 0;
  const startedAt = clock.now();
  await daemon.runFor(3 * MINUTE, async () => {
    const states = await app.store.runs.states('main');
    const run = states.find(({ collector }) => collector === 'traffic');
    if (run) traffic.set(run.startedAt, run.finishedAt);
    const isListed = states.some(({ collector }) => collector === 'proxy_users');
    if (isListed && listedMs === 0) listedMs = clock.now() - startedAt;
  });
  const seconds = listedMs / SECOND;
  expect(seconds).toBeGreaterThan(PAGES / 8);
  expect(seconds).toBeLessThan(1.2 * (PAGES / 8));

  const [first, ...others] = [...traffic];
  expect(first?.[0]).toBe(startedAt);
  const minuteOf = (at: number): number => Math.floor(at / MINUTE);
  expect(others.map(([begun]) => minuteOf(begun) - minuteOf(startedAt))).toEqual([1, 2, 3]);
  expect(others.map(([begun, ended]) => minuteOf(ended) - minuteOf(begun))).toEqual([0, 0, 0]);
  const longest = Math.max(...others.map(([begun, ended]) => ended - begun));

  expect(pages.saved).toBe(PAGES);
  expect(pages.maxRetained).toBeLessThanOrEqual(1);
  const samples = await daemon.samples();
  expect(samples.by('collector', 'proxywatch_collector_success')).toMatchObject({
    traffic: 1,
    proxy_users: 1,
  });
  expect(daemon.simulators[0]?.requests.count(undefined, 429)).toBe(0);
  console.log({ listedSeconds: seconds, longestTrafficMs: longest, mostPagesAlive: pages.maxRetained });
});

/** Counts, at some pages that are passed to the store, how many earlier pages have not been garbage collected. */
class RetainedPages {
  saved = 0;
  /** Most retained pages at any count, without the one being passed. */
  maxRetained = 0;
  #pages: WeakRef<object>[] = [];

  constructor(users: UserStore) {
    const savePage = users.savePage.bind(users);
    users.savePage = async (account, page, now, startedAt) => {
      this.saved += 1;
      if (this.saved % COUNT_EVERY === 0) this.#count();
      this.#pages.push(new WeakRef(page));
      return savePage(account, page, now, startedAt);
    };
  }

  #count(): void {
    collectGarbage();
    this.#pages = this.#pages.filter((page) => page.deref() !== undefined);
    this.maxRetained = Math.max(this.maxRetained, this.#pages.length);
  }
}

const collectGarbage = (): void => {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
};
