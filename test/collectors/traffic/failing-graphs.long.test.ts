// Tests graphs that fail: each fails alone, with any kind of failure, and does not delay others.

import { describe, expect, it } from 'vitest';
import { HOUR, MINUTE } from '../../../src/lib/time.ts';
import { StubTraffic } from '../../alerts/stub-traffic.ts';
import type { Harness } from '../../support/harness.ts';
import { recordingLog } from '../single-collector.ts';
import { lastRun } from '../stub-account.ts';

const GRAPHS = Array.from({ length: 40 }, (_, index) => {
  const name = `g${String(index).padStart(2, '0')}`;
  return { name, hostname: `${name}.example` };
});
const EVERY_MINUTE = { schedule: '* * * * *', catch_up: '1h', graphs: GRAPHS };

const advanceMinutes = async (harness: Harness, count: number): Promise<void> => {
  for (let minute = 0; minute < count; minute += 1) await harness.advance(MINUTE);
};

const hostnamesOf = (stub: StubTraffic, since = 0): string[] =>
  stub.queries.slice(since).flatMap(({ hostname }) => hostname ?? []);

const failingParts = async (harness: Harness): Promise<number | undefined> =>
  (await harness.samples()).value('proxywatch_collector_failing_parts', { collector: 'traffic' });

describe.each([
  ['answers 500', { status: 500, body: {} }, 'server'],
  ['answers 403', { status: 403, body: {} }, 'forbidden'],
  ['drops the connection', 'drop', 'network'],
  ['gives an invalid answer', { body: 'garbled' }, 'bad_response'],
  ['never answers', 'hang', 'timeout'],
] as const)('one graph of forty that %s', (_, fault, kind) => {
  it('fails alone, is logged once, and waits longer each time', { timeout: 60_000 }, async () => {
    await using stub = await StubTraffic.start();
    const log = recordingLog();
    const options = { log, firstStepHold: '0s', account: { request_timeout: '1s' } };
    await using harness = await stub.watch(EVERY_MINUTE, options);
    stub.fault = ({ hostname }) => (hostname === 'g07.example' ? fault : undefined);
    const before = stub.queries.length;
    await advanceMinutes(harness, 8);
    expect(await lastRun(harness)).toEqual({ result: 'partial', errorKind: kind });
    const samples = await harness.samples();
    expect(samples.value('proxywatch_collector_success', { collector: 'traffic' })).toBe(1);
    expect(await failingParts(harness)).toBe(1);
    const counted = samples.by('graph', 'proxywatch_graph_requests_total');
    expect(Object.values(counted).filter((requests) => requests === 80)).toHaveLength(39);
    expect(counted.g07).toBe(0);
    expect(samples.value('proxywatch_traffic_requests_total')).toBe(80);
    const logged = log.lines.filter(({ part }) => part !== undefined);
    expect(logged.map(({ part, kind, message }) => [part, kind, message])).toEqual([
      ['g07', kind, 'a part failed'],
    ]);
    // It is tried in the first, second, fourth and eighth minute, because the wait doubles.
    const tries = hostnamesOf(stub, before).filter((hostname) => hostname === 'g07.example').length;
    const attempts = kind === 'forbidden' || kind === 'bad_response' ? 1 : 3;
    expect(tries).toBe(4 * attempts);

    stub.fault = () => undefined;
    await advanceMinutes(harness, 8);
    expect(await lastRun(harness)).toEqual({ result: 'ok', errorKind: null });
    expect(await failingParts(harness)).toBe(0);
    expect(log.lines.filter(({ part }) => part !== undefined).at(-1)).toMatchObject({
      part: 'g07',
      message: 'a part succeeds again',
    });
    expect((await harness.samples()).value('proxywatch_graph_requests_total', { graph: 'g07' })).toBe(160);
  });
});

describe('a run', () => {
  it('that ends before all slow graphs were requested begins with the others next time', async () => {
    await using stub = await StubTraffic.start();
    const graphs = GRAPHS.slice(0, 12);
    await using harness = await stub.watch({ ...EVERY_MINUTE, graphs });
    // In every run, the first four graphs take until its deadline.
    let slow: ReturnType<Harness['clock']['now']>[] = [];
    stub.fault = ({ hostname }) => {
      if (hostname === undefined) {
        slow = [];
        return undefined;
      }
      slow.push(harness.clock.now());
      if (slow.length === 4) setImmediate(() => harness.clock.advance(11 * MINUTE));
      return 'hang';
    };
    const before = stub.queries.length;
    for (let run = 0; run < 3; run += 1) {
      await harness.advance(MINUTE);
      expect((await harness.samples()).value('proxywatch_collector_success')).toBe(1);
    }
    expect(new Set(hostnamesOf(stub, before))).toEqual(new Set(graphs.map(({ hostname }) => hostname)));
  });

  it('ends early if the whole account and all graphs so far fail alike, and makes none of them wait', async () => {
    await using stub = await StubTraffic.start();
    const log = recordingLog();
    await using harness = await stub.watch(EVERY_MINUTE, { log });
    stub.fault = () => ({ status: 403, body: {} });
    const before = stub.queries.length;
    await advanceMinutes(harness, 5);
    expect(await lastRun(harness)).toEqual({ result: 'failed', errorKind: 'forbidden' });
    expect(stub.queries.length - before).toBeLessThanOrEqual(5 * 6);
    expect(log.lines.filter(({ part }) => part !== undefined)).toEqual([]);
    stub.fault = () => undefined;
    const healed = stub.queries.length;
    await harness.advance(MINUTE);
    expect(hostnamesOf(stub, healed)).toHaveLength(40);
    expect(await lastRun(harness)).toEqual({ result: 'ok', errorKind: null });
  });

  it('continues with its graphs if only the whole account fails', async () => {
    await using stub = await StubTraffic.start();
    await using harness = await stub.watch(EVERY_MINUTE, { firstStepHold: '0s' });
    stub.fault = ({ hostname }) => (hostname === undefined ? { status: 500, body: {} } : undefined);
    await advanceMinutes(harness, 5);
    expect(await lastRun(harness)).toEqual({ result: 'partial', errorKind: 'server' });
    const samples = await harness.samples();
    expect(samples.value('proxywatch_collector_success')).toBe(0);
    expect(samples.value('proxywatch_graph_requests_total', { graph: 'g39' })).toBe(50);
  });

  it('names the first parts that fail, and the number of the others', async () => {
    await using stub = await StubTraffic.start();
    await using harness = await stub.watch(EVERY_MINUTE);
    stub.fault = ({ hostname }) => ((hostname ?? 'h') < 'g05' ? { status: 500, body: {} } : undefined);
    await advanceMinutes(harness, 2);
    const run = (await harness.app.store.runs.states('main')).find(
      ({ collector }) => collector === 'traffic',
    );
    expect(run?.failingParts).toBe(5);
    expect(run?.errorMessage).toMatch(/^g00: .*; g01: .*; g02: .*; 2 more parts fail$/);
  });

  it('lets only the failed graph wait after hours of failures', async () => {
    await using stub = await StubTraffic.start();
    await using harness = await stub.watch({ ...EVERY_MINUTE, schedule: '*/10 * * * *' });
    stub.fault = ({ hostname }) => (hostname === 'g07.example' ? { status: 403, body: {} } : undefined);
    const before = stub.queries.length;
    for (let slot = 0; slot < 6 * 6; slot += 1) await harness.advance(10 * MINUTE);
    const hostnames = hostnamesOf(stub, before);
    expect(hostnames.filter((hostname) => hostname === 'g08.example')).toHaveLength(36);
    const tries = hostnames.filter((hostname) => hostname === 'g07.example').length;
    expect(tries).toBeLessThanOrEqual(5 + (6 * HOUR) / HOUR);
    expect(tries).toBeGreaterThanOrEqual(6);
  });
});
