// Tests traffic counters against the true traffic of the simulated account.

import { describe, expect, it } from 'vitest';
import { DAY, HOUR, MINUTE } from '../../../src/lib/time.ts';
import { buildTraffic, graphRequestsDuring, grownSince, netBytes, START, STEADY } from './support.ts';

const BYTES = 'proxywatch_traffic_bytes_total';

describe('traffic counters', () => {
  it('treat the traffic of the first poll as history', async () => {
    await using harness = await buildTraffic();
    const [graph] = await harness.app.store.traffic.graphs('main');
    const stored = await harness.app.store.traffic.buckets(graph?.id ?? 0, 0, Number.MAX_SAFE_INTEGER);
    expect(stored.length).toBeGreaterThanOrEqual((4 * HOUR) / MINUTE);
    expect(await netBytes(harness)).toBe(0);
  });

  it('show 0 until a run is stored after the hold, and then the whole first step', async () => {
    await using harness = await buildTraffic();
    const shown: (number | undefined)[] = [];
    for (const _ of Array(3)) {
      await harness.advance(MINUTE);
      const samples = await harness.samples();
      const value = samples.value(BYTES);
      shown.push(value);
      const withheld = samples.value('proxywatch_traffic_withheld_bytes') ?? Number.NaN;
      expect((value ?? Number.NaN) - withheld).toBe(grownSince(harness, START));
    }
    expect(shown[0]).toBe(0);
    expect(shown.slice(1).every((value) => value !== undefined && value > 0)).toBe(true);
    expect(shown[2]).toBe(grownSince(harness, START));
  });

  it('do not end the hold on a run that stored nothing', async () => {
    await using harness = await buildTraffic();
    await harness.advance(MINUTE);
    harness.simulator.faults.add({ kind: 'status', status: 503 });
    await harness.advance(2 * MINUTE);
    expect((await harness.samples()).value(BYTES)).toBe(0);
  });

  it('split a total into parts that add up', async () => {
    await using harness = await buildTraffic({ firstStepHold: '0s' });
    await harness.advance(HOUR);
    const samples = await harness.samples();
    const requests = samples.value('proxywatch_traffic_requests_total') ?? Number.NaN;
    const successful = samples.value('proxywatch_traffic_successful_requests_total') ?? Number.NaN;
    expect(successful).toBeGreaterThan(0);
    expect(requests - successful).toBe(samples.value('proxywatch_traffic_failed_requests_total'));
    expect(samples.value('proxywatch_smartpath_routed_bytes_total')).toBeGreaterThan(0);
    expect(samples.value('proxywatch_smartpath_routed_requests_total')).toBeGreaterThan(0);
  });

  it('fill the gap of three days without the daemon, in windows of a day at most', async () => {
    await using harness = await buildTraffic({ firstStepHold: '0s', traffic: { catch_up: '4d' } });
    await harness.advance(MINUTE);
    const stoppedAt = harness.clock.now();
    await harness.stop();
    harness.clock.advance(3 * DAY);
    const requests = await graphRequestsDuring(harness, () => harness.start());
    // The newest window comes first. The night's deep reread is also due, and its windows come after the gap.
    const oldest = requests.findIndex(({ from }) => from <= stoppedAt - 2 * HOUR);
    const gap = requests.slice(0, oldest + 1);
    expect(gap[0]?.to).toBeGreaterThan(harness.clock.now());
    expect(gap.slice(1).map(({ to }) => to)).toEqual(gap.slice(0, -1).map(({ from }) => from));
    expect(requests.every(({ from, to }) => to - from <= DAY)).toBe(true);
    expect(await netBytes(harness)).toBe(grownSince(harness, START));
    expect(grownSince(harness, stoppedAt)).toBeGreaterThan(0);
  });

  it('lose only the part of a gap that lies further back than catch_up', async () => {
    await using harness = await buildTraffic({ firstStepHold: '0s', traffic: { catch_up: '1d' } });
    await harness.stop();
    harness.clock.advance(3 * DAY);
    await harness.start();
    const since = Math.floor((harness.clock.now() - DAY) / MINUTE) * MINUTE;
    const { truth } = harness.simulator;
    expect(await netBytes(harness)).toBe(truth.traffic({}, since, harness.clock.now()).bytes);
  });

  it('do not change because of buckets that an answer does not have', async () => {
    await using harness = await buildTraffic({ firstStepHold: '0s' });
    await harness.advance(30 * MINUTE);
    const before = await netBytes(harness);
    harness.simulator.faults.add({ kind: 'absent_buckets', every: 2 });
    await harness.advance(10 * MINUTE);
    const samples = await harness.samples();
    expect(samples.value('proxywatch_traffic_withheld_bytes')).toBe(0);
    expect(samples.value(BYTES)).toBeGreaterThan(before);
    harness.simulator.faults.clear();
    await harness.advance(MINUTE);
    expect(await netBytes(harness)).toBe(grownSince(harness, START));
  });

  it('continue after a restart', async () => {
    await using harness = await buildTraffic({ firstStepHold: '0s' });
    await harness.advance(10 * MINUTE);
    const before = (await harness.samples()).value(BYTES);
    await harness.restart();
    expect((await harness.samples()).value(BYTES)).toBe(before);
    await harness.advance(MINUTE);
    expect(await netBytes(harness)).toBe(grownSince(harness, START));
  });

  it('count the growth of a slice, besides the whole account', async () => {
    const graphs = [{ name: 'shop', hostname: 'shop.example' }];
    await using harness = await buildTraffic({ firstStepHold: '0s', traffic: { graphs } });
    await harness.advance(20 * MINUTE);
    const labels = {
      graph: 'shop',
      hostname: 'shop.example',
      product_type: '',
      proxy_user_id: '',
      service_id: '',
    };
    const samples = await harness.samples();
    expect(samples.value('proxywatch_graph_bytes_total', labels)).toBe(
      grownSince(harness, START, { hostname: 'shop.example' }),
    );
    expect(samples.value(BYTES)).toBe(grownSince(harness, START));
  });
});

describe.each([
  ['an hour is repeated', '2026-10-24T22:01:30Z', 25 * HOUR],
  ['an hour is skipped', '2026-03-28T23:01:30Z', 23 * HOUR],
])('on the day on which %s', (_, midnight, day) => {
  it.each(['minute', 'hour'])('counters over buckets of a %s equal the true traffic', async (interval) => {
    await using harness = await buildTraffic({
      now: midnight,
      scenario: { time_zone: 'Europe/Paris', traffic: STEADY },
      account: { time_zone: 'Europe/Paris' },
      traffic: { schedule: '*/30 * * * *', interval, reread: '30m' },
      firstStepHold: '0s',
    });
    let before = 0;
    for (let at = 0; at < day; at += 30 * MINUTE) {
      await harness.advance(30 * MINUTE);
      const shown = (await harness.samples()).value(BYTES) ?? Number.NaN;
      expect(shown).toBeGreaterThanOrEqual(before);
      before = shown;
    }
    expect(await netBytes(harness)).toBe(grownSince(harness, midnight));
  });
});
