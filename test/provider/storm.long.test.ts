// When ProviderRateLimited comes true: in a storm of refusals, and not for single ones. By its own condition and hold.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { AccountAlert } from '../../src/alerts/alert.ts';
import { ALERTS } from '../../src/alerts/table.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { connect, startFakeProvider } from '../support/fake-provider.ts';

const MINUTE = 60_000;
const CONFIGURED = 8;
const alert = ALERTS.find(({ name }) => name === 'ProviderRateLimited') as AccountAlert;

/** Requests of a minute: windows of graphs, pages of a listing, and a page of the ledger. */
const WORK: readonly (readonly [endpoint: string, count: number, atOnce: number])[] = [
  ['analytics/graph', 40, 4],
  ['proxy_user/search', 120, 1],
  ['residential_ledger/search', 20, 1],
];

/**
 * Polls for `minutes` against a provider that refuses by `isRefused`, and returns for how long the condition held at
 * most, looked at every 15 s as the daemon does (ms).
 */
const longest = async (
  minutes: number,
  isRefused: (at: number, count: number) => boolean,
): Promise<number> => {
  const clock = new FakeClock('2026-03-01T12:00:00Z');
  let count = 0;
  await using provider = await startFakeProvider(() => {
    count += 1;
    return isRefused(clock.monotonic(), count) ? { status: 429 } : { body: {} };
  });
  await using client = connect(provider, { clock, requestsPerSecond: CONFIGURED, random: () => 0.5 });
  const isOver = () => clock.monotonic() >= minutes * MINUTE;
  const poll = async ([endpoint, requests, atOnce]: (typeof WORK)[number]) => {
    while (!isOver()) {
      const endsAt = clock.monotonic() + 10 * MINUTE;
      const run = client.forRun(endsAt);
      const lane = async () => {
        for (let i = 0; i < requests / atOnce && !isOver(); i += 1) await run.get(endpoint);
      };
      await Promise.all(Array.from({ length: atOnce }, lane)).catch(() => {});
      await clock.sleep(MINUTE - (clock.monotonic() % MINUTE));
    }
  };
  const polling = Promise.all(WORK.map(poll));
  let [held, most] = [0, 0];
  const watching = (async () => {
    for (; !isOver(); await clock.sleep(15_000)) {
      const share = client.pace.limitPerSecond / client.pace.configuredPerSecond;
      held = share < (alert.threshold?.value ?? 0) ? held + 15_000 : 0;
      most = Math.max(most, held);
    }
  })();
  let isDone = false;
  const all = Promise.all([polling, watching]).then(() => {
    isDone = true;
  });
  for (let answered = -1; !isDone; answered = count) {
    // Time goes on when nothing is under way: answers take none.
    await nextTurn();
    await nextTurn();
    if (count === answered && clock.sleepers > 0) clock.advance(Math.max(1, Math.min(clock.nextWakeMs, 250)));
  }
  await all;
  return most;
};

/** No more than so many requests in any second. */
const atMost = (perSecond: number) => {
  let let_in: number[] = [];
  return (at: number): boolean => {
    let_in = let_in.filter((before) => before > at - 1_000);
    if (let_in.length >= perSecond) return true;
    let_in.push(at);
    return false;
  };
};

it('comes true where the provider lets in half of the configured pace', { timeout: 60_000 }, async () => {
  expect(await longest(25, atMost(CONFIGURED / 2))).toBeGreaterThanOrEqual(alert.holdMs);
});

it('comes true where somebody else uses up what the account may ask', { timeout: 60_000 }, async () => {
  expect(await longest(25, (_, count) => count % 3 === 0)).toBeGreaterThanOrEqual(alert.holdMs);
});

it('does not come true for single refusals now and then', { timeout: 60_000 }, async () => {
  let refusedAt = -Infinity;
  const isNowAndThen = (at: number): boolean => {
    if (at - refusedAt < 3 * MINUTE) return false;
    refusedAt = at;
    return true;
  };
  expect(await longest(45, isNowAndThen)).toBe(0);
});

it('does not come true for a few refusals at once every quarter of an hour', {
  timeout: 60_000,
}, async () => {
  expect(await longest(50, (at) => at % (15 * MINUTE) < 2_000)).toBeLessThan(alert.holdMs / 2);
});
