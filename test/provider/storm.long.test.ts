// Tests that ProviderRateLimited fires during many answers of 429, and not for single ones, by its own condition and hold.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { AccountAlert } from '../../src/alerts/alert.ts';
import { ALERTS } from '../../src/alerts/table.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { connect, startFakeProvider } from '../support/fake-provider.ts';

const MINUTE = 60_000;
const CONFIGURED = 8;
const alert = ALERTS.find(({ name }) => name === 'ProviderRateLimited') as AccountAlert;

/** The requests of a minute: windows of graphs, pages of a listing, and pages of the ledger. */
const WORK: readonly (readonly [endpoint: string, count: number, atOnce: number])[] = [
  ['analytics/graph', 40, 4],
  ['proxy_user/search', 120, 1],
  ['residential_ledger/search', 20, 1],
];

/**
 * Polls for `minutes` a provider that answers 429 if `isRefused`, and returns the longest time for which the condition
 * held (ms), checked every 15 s as the daemon does.
 */
const longestHold = async (
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
      const worker = async () => {
        for (let i = 0; i < requests / atOnce && !isOver(); i += 1) await run.get(endpoint);
      };
      await Promise.all(Array.from({ length: atOnce }, worker)).catch(() => {});
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
    // Time advances only while no request is in flight, because answers take no time.
    await nextTurn();
    await nextTurn();
    if (count === answered && clock.sleepers > 0) clock.advance(Math.max(1, Math.min(clock.nextWakeMs, 250)));
  }
  await all;
  return most;
};

/** Refuses requests beyond `perSecond` in any second. */
const moreThan = (perSecond: number) => {
  let accepted: number[] = [];
  return (at: number): boolean => {
    accepted = accepted.filter((before) => before > at - 1_000);
    if (accepted.length >= perSecond) return true;
    accepted.push(at);
    return false;
  };
};

it('fires if the provider accepts half of the configured pace', { timeout: 60_000 }, async () => {
  expect(await longestHold(25, moreThan(CONFIGURED / 2))).toBeGreaterThanOrEqual(alert.holdMs);
});

it('fires if another client uses up the account’s rate limit', { timeout: 60_000 }, async () => {
  expect(await longestHold(25, (_, count) => count % 3 === 0)).toBeGreaterThanOrEqual(alert.holdMs);
});

it('does not fire for occasional single answers of 429', { timeout: 60_000 }, async () => {
  let rateLimitedAt = -Infinity;
  const isOccasional = (at: number): boolean => {
    if (at - rateLimitedAt < 3 * MINUTE) return false;
    rateLimitedAt = at;
    return true;
  };
  expect(await longestHold(45, isOccasional)).toBe(0);
});

it('does not fire for a few answers of 429 at once every quarter of an hour', {
  timeout: 60_000,
}, async () => {
  expect(await longestHold(50, (at) => at % (15 * MINUTE) < 2_000)).toBeLessThan(alert.holdMs / 2);
});
