// Tests which windows the traffic collector requests and when, and how it handles failed answers.

import { describe, expect, it } from 'vitest';
import { traffic } from '../../../src/collectors/traffic/traffic.ts';
import { accountSettings } from '../../../src/daemon/settings.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../../src/lib/time.ts';
import { services } from '../../../src/simulator/identities.ts';
import { parseScenario } from '../../../src/simulator/scenario.ts';
import type { Harness } from '../../support/harness.ts';
import { type LogLine, recordingLog } from '../../support/recording-log.ts';
import {
  buildTraffic,
  type GraphRequest,
  graphRequests,
  graphRequestsDuring,
  grownSince,
  netBytes,
  START,
} from './support.ts';

const NIGHT = '2026-07-06T03:31:30Z';
const DEEP = { schedule: '35 4 * * *', span: '1d' };
const [SERVICE = ''] = services(parseScenario({})).map(({ id }) => id);

const errorKinds = async (harness: Harness): Promise<string[]> =>
  (await harness.samples())
    .all('proxywatch_collector_error', { collector: 'traffic' })
    .filter(({ value }) => value === 1)
    .map(({ labels }) => labels.kind ?? '');

const result = async (harness: Harness): Promise<string | undefined> =>
  (await harness.app.store.runs.states('main')).find(({ collector }) => collector === 'traffic')?.result;

describe('a poll', () => {
  it('reads the trailing window again, to the end of the minute that is still growing', async () => {
    await using harness = await buildTraffic();
    const [requests, ...more] = await graphRequestsDuring(harness, () => harness.advance(MINUTE));
    expect(requests).toMatchObject({
      from: Date.parse('2026-07-06T10:01:00Z'),
      to: Date.parse('2026-07-06T12:03:00Z'),
      query: { interval: 'minute', show_log_concurrency: 'true' },
    });
    expect(more).toEqual([]);
  });

  it('goes further back only at the slot of the deep reread', async () => {
    await using harness = await buildTraffic({
      now: NIGHT,
      traffic: { schedule: '0 * * * *', deep_reread: DEEP, catch_up: '2d' },
    });
    const reach = async (ms: number): Promise<number[]> => {
      const requests = await graphRequestsDuring(harness, () => harness.advance(ms));
      return requests.map(({ at, from }) => Math.round((at - from) / HOUR));
    };
    expect(await reach(30 * MINUTE)).toEqual([3]);
    expect(await reach(35 * MINUTE)).toEqual([3, 24]);
    expect(await reach(25 * MINUTE)).toEqual([2]);
    expect(await reach(HOUR)).toEqual([3]);
  });

  it('makes up for the deep reread of a night without the daemon', async () => {
    await using harness = await buildTraffic({ now: NIGHT, traffic: { deep_reread: DEEP, catch_up: '2d' } });
    await harness.stop();
    harness.clock.advance(4 * HOUR);
    const reaches = (await graphRequestsDuring(harness, () => harness.start())).map(
      ({ at, from }) => (at - from) / DAY,
    );
    expect(Math.max(...reaches)).toBeCloseTo(1, 2);
    expect(await graphRequestsDuring(harness, () => harness.advance(MINUTE))).toHaveLength(1);
  });

  it('requests graphs of a service for the last seven days only, even if more is configured', async () => {
    await using harness = await buildTraffic({
      traffic: {
        catch_up: '20d',
        deep_reread: { span: '9d' },
        interval: 'hour',
        graphs: [{ name: 'service', service_id: SERVICE }],
      },
    });
    await harness.stop();
    harness.clock.advance(10 * DAY);
    await harness.start();
    const ofService = graphRequests(harness).filter(({ query }) => query.service_id === SERVICE);
    const furthest = Math.max(...ofService.map(({ at, from }) => at - from));
    expect(furthest).toBeLessThan(7 * DAY);
    expect(furthest).toBeGreaterThan(6 * DAY);
    expect(ofService.every(({ status }) => status === 200)).toBe(true);
    expect(Math.max(...graphRequests(harness).map(({ at, from }) => at - from))).toBeGreaterThan(9 * DAY);
  });

  it('leaves out a graph whose own schedule has no slot', async () => {
    const graphs = [{ name: 'alice', proxy_user_id: 'user-000003', schedule: '*/15 * * * *' }];
    await using harness = await buildTraffic({ traffic: { graphs } });
    const requests = await graphRequestsDuring(harness, async () => {
      for (let minute = 0; minute < 30; minute += 1) await harness.advance(MINUTE);
    });
    const ofAlice = requests.filter(({ query }) => query.proxy_user_id === 'user-000003');
    expect(ofAlice.map(({ at }) => new Date(at).toISOString())).toEqual([
      '2026-07-06T12:15:30.000Z',
      '2026-07-06T12:30:30.000Z',
    ]);
    expect(requests).toHaveLength(32);
  });

  it('requests at most four graphs at a time', async () => {
    const graphs = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => ({ name, hostname: `${name}.example` }));
    await using harness = await buildTraffic({ scenario: { response_delay_ms: 20 }, traffic: { graphs } });
    expect(harness.simulator.requests.maxInFlight('analytics/graph')).toBe(4);
  });
});

describe('a graph', () => {
  it('that the provider rejects fails alone', async () => {
    const graphs = [
      { name: 'satellite', product_type: 'satellite' },
      { name: 'isp', product_type: 'isp' },
    ];
    await using harness = await buildTraffic({ firstStepHold: '0s', traffic: { graphs } });
    await harness.advance(10 * MINUTE);
    expect(await result(harness)).toBe('partial');
    expect(await errorKinds(harness)).toEqual(['rejected']);
    const samples = await harness.samples();
    // The whole account was read, so its data is not stale. The error shows that something is wrong.
    expect(samples.value('proxywatch_collector_success', { collector: 'traffic' })).toBe(1);
    expect(samples.value('proxywatch_collector_last_success_timestamp_seconds')).toBe(
      harness.clock.now() / SECOND,
    );
    expect(await netBytes(harness)).toBe(grownSince(harness, START));
    expect(samples.value('proxywatch_graph_bytes_total', { graph: 'isp' })).toBe(
      grownSince(harness, START, { network: 'isp' }),
    );
    expect(samples.value('proxywatch_graph_bytes_total', { graph: 'satellite' })).toBe(0);
    const runs = samples.by('result', 'proxywatch_collector_runs_total', { collector: 'traffic' });
    expect(runs).toEqual({ ok: 0, partial: 2, failed: 0, skipped: 0 });
  });

  const satellite = { name: 'satellite', product_type: 'satellite' };
  const requestsFor = (requests: readonly GraphRequest[], productType: string | undefined): GraphRequest[] =>
    requests.filter(({ query }) => query.network === productType);

  it('that is rejected is requested less and less often, down to once an hour, while others continue', async () => {
    await using harness = await buildTraffic({ traffic: { graphs: [satellite] } });
    const requests = await graphRequestsDuring(harness, async () => {
      for (let minute = 0; minute < 150; minute += 1) {
        await harness.advance(MINUTE);
        expect(await errorKinds(harness)).toEqual(['rejected']);
      }
    });
    expect(requestsFor(requests, undefined)).toHaveLength(150);
    const times = requestsFor(requests, 'satellite').map(({ at }) => at);
    const waits = times.slice(1).map((at, index) => Math.round((at - (times[index] ?? 0)) / MINUTE));
    expect(waits.slice(0, 4)).toEqual([2, 4, 8, 16]);
    expect(Math.max(...waits)).toBeLessThanOrEqual(60);
    const runs = (await harness.samples()).by('result', 'proxywatch_collector_runs_total');
    expect(runs).toMatchObject({ ok: 0, failed: 0 });
  });

  it('that is rejected follows its own schedule', async () => {
    const graphs = [{ ...satellite, schedule: '15 * * * *' }];
    await using harness = await buildTraffic({ traffic: { graphs } });
    const requests = await graphRequestsDuring(harness, async () => {
      for (let minute = 0; minute < 90; minute += 1) await harness.advance(MINUTE);
    });
    expect(requestsFor(requests, 'satellite')).toHaveLength(2);
  });

  it('is logged once, no matter how often it fails', async () => {
    const lines: LogLine[] = [];
    await using harness = await buildTraffic({
      traffic: { graphs: [satellite] },
      log: recordingLog(lines),
    });
    for (let minute = 0; minute < 10; minute += 1) await harness.advance(MINUTE);
    const warnings = lines.filter(({ level }) => level === 'warn');
    expect(warnings.map(({ message }) => message)).toEqual(['a part failed']);
  });

  it('conflicts with the stored graph of its name if its filter or the interval is different', async () => {
    const graphs = [
      { name: 'shop', hostname: 'shop.example' },
      { name: 'isp', product_type: 'isp' },
    ];
    await using harness = await buildTraffic({ traffic: { graphs } });
    const { clock, settings } = harness;
    const conflictsWith = async (changed: Record<string, unknown>) => {
      const options = traffic.options.parse({ graphs, ...changed });
      const [account] = settings.accounts.map((each) => accountSettings(each, settings));
      return account && traffic.conflicts?.({ account, options, store: harness.app.store, clock });
    };
    expect(await conflictsWith({ reread: '1h', concurrency: false })).toEqual([]);
    expect(await conflictsWith({ graphs: [{ name: 'new', hostname: 'shop.example' }] })).toEqual([]);
    expect(
      await conflictsWith({ graphs: [graphs[1], { name: 'shop', hostname: 'api.example.com' }] }),
    ).toEqual([{ path: ['graphs', 1], message: expect.stringContaining('"shop"') }]);
    expect(await conflictsWith({ interval: 'hour' })).toHaveLength(2);
  });
});

describe('an answer', () => {
  it('that was cut short fails its window, which is read again', async () => {
    await using harness = await buildTraffic({ firstStepHold: '0s' });
    await harness.advance(MINUTE);
    const [before] = graphRequests(harness).slice(-1);
    harness.simulator.faults.add({ kind: 'truncated_buckets', keep: 20 });
    await harness.advance(HOUR);
    expect(await result(harness)).toBe('failed');
    expect(await errorKinds(harness)).toEqual(['bad_response']);
    expect(await netBytes(harness)).toBeLessThan(grownSince(harness, START));
    harness.simulator.faults.clear();
    const requests = await graphRequestsDuring(harness, () => harness.advance(MINUTE));
    // The newest window is requested first and alone, because it may be valid when the others are not.
    expect(requests.map(({ from }) => from)).toEqual([
      requests.at(-1)?.to ?? 0,
      (before?.to ?? 0) - MINUTE - 2 * HOUR,
    ]);
    expect(await netBytes(harness)).toBe(grownSince(harness, START));
    expect(await errorKinds(harness)).toEqual([]);
  });

  it('about earlier days that is cut short does not delay new data', async () => {
    await using harness = await buildTraffic({
      now: '2026-07-06T04:31:30Z',
      traffic: { deep_reread: DEEP, catch_up: '2d' },
      firstStepHold: '0s',
    });
    // Long enough for the trailing window, too short for the deep one.
    harness.simulator.faults.add({ kind: 'truncated_buckets', keep: 200 });
    await harness.advance(10 * MINUTE);
    expect(await result(harness)).toBe('partial');
    expect((await harness.samples()).value('proxywatch_collector_success')).toBe(1);
    expect(await netBytes(harness)).toBe(grownSince(harness, '2026-07-06T04:31:30Z'));
    const requests = await graphRequestsDuring(harness, async () => {
      for (let minute = 0; minute < 4 * 60; minute += 1) await harness.advance(MINUTE);
    });
    // The deep reread is not tried every minute, but an hour later, and two more hours later.
    const deepAt = requests.filter(({ from, to }) => to - from > 3 * HOUR).map(({ at }) => at);
    expect(new Set(deepAt).size).toBe(2);
  });

  it('about history that is cut short does not prevent the graph from having a baseline', async () => {
    await using harness = await buildTraffic({ firstStepHold: '0s' });
    harness.simulator.faults.add({ kind: 'truncated_buckets', keep: 200 });
    const isp = { name: 'isp', product_type: 'isp' };
    await harness.restart({ traffic: { graphs: [isp], catch_up: '3d' } });
    await harness.advance(MINUTE);
    const openedAt = harness.clock.now();
    expect(await result(harness)).toBe('partial');
    await harness.advance(10 * MINUTE);
    await harness.advance(10 * MINUTE);
    // The history is still unread and fails as its own part.
    expect(await result(harness)).toBe('partial');
    const counted = (await harness.samples()).value('proxywatch_graph_bytes_total');
    // The count lacks the growth in minutes of the window that could not be read.
    const grown = grownSince(harness, openedAt, { network: 'isp' });
    expect(counted).toBeLessThanOrEqual(grown);
    expect(counted).toBeGreaterThan(0.9 * grown);
  });

  it('about a gap that is cut short does not delay new data, and is requested again until it is complete', async () => {
    await using harness = await buildTraffic({ firstStepHold: '0s', traffic: { catch_up: '7d' } });
    await harness.stop();
    harness.clock.advance(2 * DAY);
    harness.simulator.faults.add({ kind: 'truncated_buckets', keep: 1_000 });
    await harness.start();
    const part = await netBytes(harness);
    expect(part).toBeGreaterThan(0);
    await harness.advance(MINUTE);
    const samples = await harness.samples();
    expect(samples.value('proxywatch_collector_success')).toBe(1);
    expect(samples.value('proxywatch_traffic_gap_seconds')).toBeGreaterThan(DAY / SECOND);
    harness.simulator.faults.clear();
    await harness.advance(HOUR);
    expect((await harness.samples()).value('proxywatch_traffic_gap_seconds')).toBe(0);
    expect(await result(harness)).toBe('ok');
    expect(await netBytes(harness)).toBe(grownSince(harness, START));
    expect(await netBytes(harness)).toBeGreaterThan(2 * part);
  });

  it('that is a server error fails the run and changes nothing', async () => {
    await using harness = await buildTraffic({ firstStepHold: '0s' });
    await harness.advance(MINUTE);
    const before = await netBytes(harness);
    harness.simulator.faults.add({ kind: 'status', status: 503 });
    await harness.advance(MINUTE);
    expect(await errorKinds(harness)).toEqual(['server']);
    expect(await netBytes(harness)).toBe(before);
  });

  it('of which no bucket decodes does not count as read, and is requested again', async () => {
    await using harness = await buildTraffic();
    const watermark = async () =>
      (await harness.app.store.traffic.graphs('main')).map((graph) => graph.watermark);
    const before = await watermark();
    const fields = { bytes: null, requests: null, successful: null, error: null };
    harness.simulator.faults.add({ kind: 'set_fields', fields, count: 10 });
    await harness.advance(MINUTE);
    expect(await result(harness)).toBe('failed');
    expect(await watermark()).toEqual(before);
    harness.simulator.faults.clear();
    await harness.advance(MINUTE);
    expect(await result(harness)).toBe('ok');
  });
});
