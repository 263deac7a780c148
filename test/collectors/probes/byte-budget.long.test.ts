// Tests that metered proxies never take more bytes in any 24 hours than the budget, with restarts and long rounds.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MOST_BYTES } from '../../../src/collectors/probes/budget/byte-prices.ts';
import { DAY, HOUR } from '../../../src/lib/time.ts';
import { QuickClock } from '../../support/harness.ts';
import { FakeProber, passed } from './fake-probe.ts';
import { buildProbes, gateways, START, THREE_URLS } from './probes-harness.ts';

const MOST = MOST_BYTES.tls;
const MOST_OF_ALL = THREE_URLS.length * MOST_BYTES.tls + MOST_BYTES.http;

interface Taken {
  readonly at: number;
  readonly bytes: number;
}

const mostInADay = (taken: readonly Taken[]): number =>
  Math.max(
    0,
    ...taken.map(({ at }) =>
      taken
        .filter((other) => other.at > at - DAY && other.at <= at)
        .reduce((sum, { bytes }) => sum + bytes, 0),
    ),
  );

const situation = fc.record({
  most: fc.integer({ min: 1_000, max: MOST }),
  budget: fc.integer({ min: 2 * MOST_OF_ALL, max: 40 * MOST_OF_ALL }),
  urls: fc.integer({ min: 1, max: THREE_URLS.length }),
  hasExit: fc.boolean(),
  proxies: fc.integer({ min: 1, max: 12 }),
  parallel: fc.integer({ min: 1, max: 8 }),
  schedule: fc.constantFrom('*/30 * * * *', '0 * * * *', '0 */5 * * *'),
  restarts: fc.array(fc.integer({ min: 0, max: 71 }), { maxLength: 4 }),
  shares: fc.array(fc.double({ min: 0.1, max: 1, noNaN: true }), { minLength: 3, maxLength: 20 }),
  probeMs: fc.integer({ min: 0, max: 14_000 }),
});

it('the byte budget holds over three days, whatever the probes take', async () => {
  await fc.assert(
    fc.asyncProperty(situation, async (drawn) => {
      const { most, budget, urls, hasExit, proxies, parallel, schedule, restarts, shares, probeMs } = drawn;
      const clock = new QuickClock(START);
      const prober = new FakeProber();
      const taken: Taken[] = [];
      prober.answer = () => {
        // The bytes flow at the end of the probe, which can be in the next slot of the store.
        clock.advance(Math.floor(probeMs / parallel));
        const bytes = Math.floor(most * (shares[taken.length % shares.length] ?? 1));
        taken.push({ at: clock.now(), bytes });
        return { ...passed, bytes: { sent: 100, received: bytes - 100 } };
      };
      await using harness = await buildProbes(prober, {
        clock,
        probes: {
          ...{ schedule, parallel, max_bytes_per_day: budget },
          ...{ urls: THREE_URLS.slice(0, urls), proxies: gateways(proxies) },
          exit: hasExit ? { url: 'https://echo.example.com/ip', every: '1h' } : undefined,
        },
      });
      for (let hour = 0; hour < 72; hour += 1) {
        await harness.advance(HOUR);
        if (restarts.includes(hour)) await harness.restart();
      }
      expect(mostInADay(taken)).toBeLessThanOrEqual(budget);
      const spent = await harness.app.store.probes.spent('probes/main', clock.now() - DAY);
      const takenLately = taken.filter(({ at }) => at > clock.now() - DAY + HOUR);
      // Nothing stays reserved after a round.
      expect(spent.reduce((sum, { bytes }) => sum + bytes, 0)).toBeGreaterThanOrEqual(
        takenLately.reduce((sum, { bytes }) => sum + bytes, 0),
      );
      expect(taken.length).toBeGreaterThan(0);
    }),
    { numRuns: 8 },
  );
}, 300_000);
