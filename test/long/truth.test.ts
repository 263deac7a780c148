// Tests the main promise: counters minus withheld values equal the truth to the byte.

import { describe, expect, it } from 'vitest';
import { DAY, MINUTE } from '../../src/lib/time.ts';
import type { LedgerRow } from '../../src/simulator/resources/ledger.ts';
import type { TrafficFilter } from '../../src/simulator/traffic/slices.ts';
import { Harness } from '../support/harness.ts';

/** Just after the nightly deep reread, so that the next one is due just before a whole number of days has passed. */
const START = '2026-07-06T04:36:30Z';
const SPAN = 2 * DAY;
const POLL = 10 * MINUTE;
const RESTART_EVERY = 17;

/** A graph for each kind of filter, with the same filter of the simulator. */
const GRAPHS: Readonly<Record<string, { options: Record<string, string>; filter: TrafficFilter }>> = {
  residential: { options: { product_type: 'residential' }, filter: { network: 'residential' } },
  shop: { options: { hostname: 'shop.example' }, filter: { hostname: 'shop.example' } },
  alice: { options: { proxy_user_id: 'user-000003' }, filter: { proxyUserId: 'user-000003' } },
};

const build = (): Promise<Harness> =>
  Harness.build({
    now: START,
    scenario: { traffic: { late: { ratio: 0.05 }, revised: { ratio: 0.05 } } },
    account: {
      traffic: {
        schedule: '*/10 * * * *',
        graphs: Object.entries(GRAPHS).map(([name, { options }]) => ({ name, ...options })),
      },
      residential_ledger: { schedule: '*/30 * * * *' },
      proxy_users: { schedule: '*/30 * * * *' },
    },
  });

/** Adds every fault of an answer with a small probability. */
const breakAnswers = ({ simulator }: Harness): void =>
  simulator.faults.replace([
    { kind: 'truncated_buckets', endpoint: 'analytics', keep: 20, probability: 0.05 },
    { kind: 'absent_buckets', endpoint: 'analytics', every: 7, probability: 0.05 },
    { kind: 'duplicate_buckets', endpoint: 'analytics', every: 5, probability: 0.05 },
    { kind: 'shifted_pages', endpoint: 'search', probability: 0.05 },
    { kind: 'malformed_json', probability: 0.01 },
    { kind: 'cut_off', probability: 0.01 },
    { kind: 'status', status: 503, probability: 0.02 },
    { kind: 'null_fields', endpoint: 'search', fields: ['residential_ledger_bytes'], probability: 0.02 },
  ]);

/** Polls through the span with restarts, and fails if a counter falls. */
const pollThroughSpan = async (harness: Harness): Promise<void> => {
  let before = await harness.metrics();
  for (let poll = 1; poll <= SPAN / POLL; poll += 1) {
    await harness.advance(POLL);
    if (poll % RESTART_EVERY === 0) {
      await harness.stop();
      await harness.start();
    }
    const now = await harness.metrics();
    expect(decreasedCounters(before, now)).toEqual([]);
    before = now;
  }
};

const decreasedCounters = (before: Map<string, number>, now: Map<string, number>): string[] =>
  [...before]
    .filter(([series, value]) => isCounter(series) && (now.get(series) ?? -1) < value)
    .map(([series]) => series);

/** Whether it is a counter of the provider's data, which never falls; those about the daemon restart with it. */
const isCounter = (series: string): boolean =>
  /_total\{/.test(series) && !/^proxywatch_(api|collector|store|items)_/.test(series);

const seriesOf = (name: string, metric: string): string => {
  if (name === '') return `proxywatch_traffic_${metric}{account="main"}`;
  const { product_type = '', proxy_user_id = '', hostname = '' } = GRAPHS[name]?.options ?? {};
  const labels = `graph="${name}",product_type="${product_type}",proxy_user_id="${proxy_user_id}",service_id="",hostname="${hostname}"`;
  return `proxywatch_graph_${metric}{account="main",${labels}}`;
};

/** Returns the growth of a graph's traffic since the start, for minutes of any time. */
const trafficGrowth = (
  { simulator, clock }: Harness,
  filter: TrafficFilter,
): { bytes: number; requests: number } => {
  const startedAt = Date.parse(START);
  const [from, to] = [startedAt - 6 * DAY, clock.now() + MINUTE];
  const after = simulator.truth.traffic(filter, from, to);
  const before = simulator.truth.traffic(filter, from, to, startedAt);
  return {
    bytes: after.bytes - before.bytes,
    requests: after.requests - before.requests,
  };
};

/** Returns the growth of the ledger since the start by reason; rows are added, and change during and after their day. */
const ledgerGrowth = ({ simulator }: Harness): Map<string, { added: number; used: number }> => {
  const growth = new Map<string, { added: number; used: number }>();
  const count = (
    sign: 1 | -1,
    { residential_ledger_reason: reason, residential_ledger_bytes: bytes }: LedgerRow<'residential'>,
  ): void => {
    const { added, used } = growth.get(reason) ?? { added: 0, used: 0 };
    const isUse = reason === 'usage' || bytes < 0;
    growth.set(reason, {
      added: added + (isUse ? 0 : sign * bytes),
      used: used + (isUse ? sign * Math.abs(bytes) : 0),
    });
  };
  for (const row of simulator.truth.ledger()) count(1, row);
  for (const row of simulator.truth.ledger(Date.parse(START))) count(-1, row);
  return growth;
};

describe('two days of late, revised, duplicate, absent and truncated data, faults and restarts', () => {
  it('keep every counter minus its withheld value equal to the truth', { timeout: 120_000 }, async () => {
    await using harness = await build();
    breakAnswers(harness);
    await pollThroughSpan(harness);
    harness.simulator.faults.clear();
    // After a day without a poll, the deep reread brings what the faults had hidden.
    await harness.advance(DAY);
    const metrics = await harness.metrics();

    for (const [name, filter] of accountAndGraphs) {
      const truth = trafficGrowth(harness, filter);
      const net = (metric: string): number => metrics.get(seriesOf(name, metric)) ?? Number.NaN;
      expect([name, net('bytes_total') - net('withheld_bytes')]).toEqual([name, truth.bytes]);
      expect([name, net('requests_total') - net('withheld_requests')]).toEqual([name, truth.requests]);
    }
    for (const [reason, { added, used }] of ledgerGrowth(harness)) {
      expect([reason, ledgerNet(metrics, reason, 'added')]).toEqual([reason, added]);
      expect([reason, ledgerNet(metrics, reason, 'used')]).toEqual([reason, used]);
    }
  });
});

/** The whole account, which has no name, and its graphs. */
const accountAndGraphs: readonly [string, TrafficFilter][] = [
  ['', {}],
  ...Object.entries(GRAPHS).map(([name, { filter }]): [string, TrafficFilter] => [name, filter]),
];

const ledgerNet = (metrics: Map<string, number>, reason: string, direction: 'added' | 'used'): number => {
  const counter = metrics.get(
    `proxywatch_residential_ledger_${direction}_bytes_total{account="main",reason="${reason}"}`,
  );
  const withheld = metrics.get(
    `proxywatch_residential_ledger_withheld_bytes{account="main",reason="${reason}",direction="${direction}"}`,
  );
  return (counter ?? Number.NaN) - (withheld ?? Number.NaN);
};
