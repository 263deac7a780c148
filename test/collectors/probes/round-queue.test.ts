// Tests in which order a round takes its proxies: whatever the budget allows is probed, and free proxies always.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ByteBudget } from '../../../src/collectors/probes/budget/byte-budget.ts';
import { RoundQueue } from '../../../src/collectors/probes/probe-all.ts';
import type { ProbedProxy } from '../../../src/collectors/probes/probed-proxies.ts';
import type { LabelledTarget } from '../../../src/collectors/probes/targets.ts';
import { Secret } from '../../../src/lib/secret.ts';

const MOST = 100;
const EXIT: LabelledTarget = {
  label: 'echo',
  target: { url: new Secret('https://echo.example.com/ip'), depth: 'http' },
};

const proxyOf = (isMetered: boolean, index: number): ProbedProxy => ({
  ...{ id: `${index}`, name: '', productType: isMetered ? 'residential' : 'isp', isMetered },
  ...{ protocol: 'http', host: '192.0.2.1', port: 8_000, username: '', endpointKey: '' },
  ...{ providerId: null, facts: null, lastTestedAt: null },
  access: { protocol: 'http', host: '192.0.2.1', port: 8_000 },
});

const situation = fc.record({
  areMetered: fc.array(fc.boolean(), { maxLength: 30 }),
  bytes: fc.array(fc.integer({ min: 1, max: MOST }), { minLength: 1, maxLength: 10 }),
  remaining: fc.integer({ min: 0, max: 12 * MOST }),
  workers: fc.integer({ min: 1, max: 10 }),
  hasExit: fc.boolean(),
});

interface Drawn {
  readonly areMetered: readonly boolean[];
  readonly bytes: readonly number[];
  readonly remaining: number;
  readonly workers: number;
  readonly hasExit: boolean;
}

/** Each turn takes a share of its price. The result is what was probed, and what it took. */
const runRound = async ({ areMetered, bytes, remaining, workers, hasExit }: Drawn) => {
  const probed: { id: string; isMetered: boolean; hasExit: boolean; used: number }[] = [];
  const budget = new ByteBudget({
    ...{ account: 'main', piecesPerWrite: 16, clock: { now: () => 0 }, probes: { spend: async () => {} } },
    ...{ remaining, allowed: remaining },
  });
  const queue = new RoundQueue({
    ...{ budget, proxies: areMetered.map(proxyOf), signal: new AbortController().signal },
    turnOf: async (proxy) => ({ proxy, exitTarget: hasExit ? EXIT : undefined }),
    priceOf: ({ exitTarget }) => ({ most: exitTarget ? 2 * MOST : MOST, estimate: 1 }),
  });
  const work = async (): Promise<void> => {
    for (let turn = await queue.next(); turn; turn = await queue.next()) {
      const { proxy, exitTarget, price } = turn;
      if (price === null) continue;
      const used = (bytes[Number(proxy.id) % bytes.length] ?? 1) * (exitTarget ? 2 : 1);
      probed.push({ id: proxy.id, isMetered: proxy.isMetered, hasExit: exitTarget !== undefined, used });
      await new Promise(setImmediate);
      if (price) budget.settle(price, used);
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
  return probed;
};

test('a round ends, never exceeds the budget, and leaves out only what the budget does not allow', async () => {
  await fc.assert(
    fc.asyncProperty(situation, async (drawn) => {
      const probed = await runRound(drawn);
      const { areMetered, remaining, hasExit } = drawn;
      expect(new Set(probed.map(({ id }) => id)).size).toBe(probed.length);
      const free = probed.filter(({ isMetered }) => !isMetered);
      expect(free).toHaveLength(areMetered.filter((isMetered) => !isMetered).length);
      const metered = probed.filter(({ isMetered }) => isMetered);
      const ids = metered.map(({ id }) => Number(id));
      // Several workers may swap neighbours.
      if (drawn.workers === 1) expect(ids).toEqual(ids.toSorted((a, b) => a - b));
      const used = metered.reduce((sum, each) => sum + each.used, 0);
      expect(used).toBeLessThanOrEqual(remaining);
      const isLeftOut = metered.length < areMetered.filter(Boolean).length;
      if (isLeftOut) expect(used + MOST).toBeGreaterThan(remaining);
      const misses = metered.some((each) => each.hasExit !== hasExit);
      if (misses) expect(used + 2 * MOST).toBeGreaterThan(remaining);
    }),
  );
});

test('a round that is stopped hands out nothing more', async () => {
  const budget = new ByteBudget({
    ...{ account: 'main', piecesPerWrite: 16, clock: { now: () => 0 }, probes: { spend: async () => {} } },
    ...{ remaining: MOST, allowed: MOST },
  });
  const queue = new RoundQueue({
    ...{ budget, proxies: [true, true, false].map(proxyOf), signal: new AbortController().signal },
    turnOf: async (proxy) => ({ proxy, exitTarget: undefined }),
    priceOf: () => ({ most: MOST, estimate: 1 }),
  });
  const first = await queue.next();
  expect([first?.proxy.id, (await queue.next())?.proxy.id]).toEqual(['0', '2']);
  const waiting = queue.next();
  queue.stop();
  if (first?.price) budget.settle(first.price, 1);
  expect(await waiting).toBeUndefined();
});
