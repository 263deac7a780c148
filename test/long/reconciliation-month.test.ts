// Tests that sources that agree show no differences for a month, and that known causes explain differences to the byte.

import { describe, expect, test } from 'vitest';
import { comparedBytes } from '../../src/collectors/reconciliation/explain.ts';
import { DAY } from '../../src/lib/time.ts';
import {
  advanceHours,
  buildReconciliation,
  comparisonsOn,
  START,
} from '../collectors/reconciliation/support.ts';

const HOURLY = { traffic: { interval: 'hour' } };

describe('sources that agree', () => {
  test.each(['UTC', 'America/New_York'])(
    'a month in %s shows no differences',
    { timeout: 120_000 },
    async (zone) => {
      const days = zone === 'UTC' ? 30 : 5;
      // In New York, clocks are set back on the second day.
      const now = zone === 'UTC' ? START : '2026-10-31T12:01:30Z';
      await using harness = await buildReconciliation({
        ...HOURLY,
        now,
        scenario: {
          ...{ start: '2026-06-25T00:00:00Z', time_zone: zone },
          // Longer revisions would take long to simulate.
          traffic: { revised: { longest_minutes: 1_440 } },
        },
        account: { time_zone: zone },
      });
      await advanceHours(harness, days * 24);
      const found = await harness.app.store.reconciliation.days('main', 0, Number.MAX_SAFE_INTEGER);
      const newest = harness.clock.now() - 2 * DAY;
      expect(found.filter(({ dayStart }) => dayStart > newest)).not.toEqual([]);
      expect(found.length).toBeGreaterThanOrEqual(4 * (days - 2));
      for (const day of found) {
        expect(Math.abs(day.unexplainedBytes) / comparedBytes(day), `${day.pair} ${day.date}`).toBeLessThan(
          0.005,
        );
        expect(day.hours).toEqual([]);
      }
    },
  );

  test('bytes routed by smartpath are explained, and reread data is complete to the byte', async () => {
    await using harness = await buildReconciliation({
      ...HOURLY,
      scenario: { traffic: { late: { ratio: 0.1 }, revised: { ratio: 0 } } },
    });
    await advanceHours(harness, 42);
    const { smartpathBytes, bytes } = harness.simulator.truth.traffic(
      { network: 'residential' },
      Date.parse('2026-07-07T00:00:00Z'),
      Date.parse('2026-07-08T00:00:00Z'),
    );
    const found = await comparisonsOn(harness, '2026-07-07');
    expect(found.residential_buckets_ledger).toMatchObject({
      firstBytes: bytes,
      secondBytes: bytes - smartpathBytes,
      explained: [{ cause: 'smartpath', bytes: smartpathBytes }],
      unexplainedBytes: 0,
    });
    expect(found.residential_buckets_coarse).toMatchObject({ firstBytes: bytes, secondBytes: bytes });
    expect(found.buckets_coarse).toMatchObject({ explained: [], unexplainedBytes: 0 });
  });

  test('a day waits for the deep reread after its end', { timeout: 60_000 }, async () => {
    // In this zone the day ends at 5:00 UTC, an hour after the reread and just before the comparison.
    const zone = 'America/Bogota';
    await using harness = await buildReconciliation({
      traffic: { ...HOURLY.traffic, schedule: '0 * * * *', deep_reread: { schedule: '35 3 * * *' } },
      scenario: { time_zone: zone },
      account: { time_zone: zone },
    });
    await advanceHours(harness, 42);
    expect(harness.clock.now()).toBeGreaterThan(Date.parse('2026-07-08T05:50:00Z'));
    expect(Object.keys(await comparisonsOn(harness, '2026-07-06'))).not.toEqual([]);
    expect(await comparisonsOn(harness, '2026-07-07')).toEqual({});
    await advanceHours(harness, 24);
    expect(Object.keys(await comparisonsOn(harness, '2026-07-07'))).toHaveLength(4);
  });

  test('costs two requests a day', async () => {
    await using harness = await buildReconciliation(HOURLY);
    await advanceHours(harness, 16);
    const asked = () => harness.simulator.requests.count('analytics/graph');
    const before = asked();
    // Until the next comparison there are four polls of two graphs and the deep reread of both.
    await advanceHours(harness, 24);
    expect(asked() - before).toBeLessThanOrEqual(2 + 4 * 2 + 2 * 7);
  });
});
