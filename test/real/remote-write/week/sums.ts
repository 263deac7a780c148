// Computes the sums of each series and day: the truth of the simulator, and what a relay recorded.

import { DAY } from '../../../../src/lib/time.ts';
import type { Simulator } from '../../../../src/simulator/simulator.ts';
import type { TrafficFilter } from '../../../../src/simulator/traffic/slices.ts';
import { GRAPHS, MIDNIGHTS } from './account.ts';
import type { Samples } from './samples.ts';

/** Sums by series and day. A sum of 0 is left out. */
export type Sums = ReadonlyMap<string, number>;

/** A time at which the users were listed (ms). */
export type Listings = readonly number[];

const TRAFFIC = {
  bytes: 'traffic_bytes',
  requests: 'traffic_requests',
  successful: 'traffic_successful_requests',
  failed: 'traffic_failed_requests',
  smartpathBytes: 'smartpath_routed_bytes',
  smartpathRequests: 'smartpath_routed_requests',
  smartpathMoneySaved: 'smartpath_money_saved',
} as const;

/** Averages and maxima have no sums. */
const NO_SUM = /_concurrency_(average|max)$/;

type Labels = Readonly<Record<string, string>>;
type Add = (name: string, labels: Labels, midnight: number, value: number) => void;

/** The sums of all days that begin at these midnights. */
export const truthOf = (simulator: Simulator, listings: Listings, midnights = MIDNIGHTS): Sums => {
  const sums = new Map<string, number>();
  const add: Add = (name, labels, midnight, value) => {
    const key = keyOf(name, labels, midnight);
    if (value !== 0) sums.set(key, (sums.get(key) ?? 0) + value);
  };
  for (const midnight of midnights) {
    addTraffic(simulator, midnight, add);
    addLedger(simulator, midnight, add);
  }
  addUsage(simulator, listings, midnights, add);
  return sums;
};

const addTraffic = ({ truth }: Simulator, midnight: number, add: Add): void => {
  const slices: readonly [Labels, TrafficFilter][] = [
    [{}, {}],
    ...Object.entries(GRAPHS).map(([graph, { options, filter }]) => [{ graph, ...options }, filter] as const),
  ].map(([labels, filter]) => [labels as Labels, filter as TrafficFilter]);
  for (const [labels, filter] of slices) {
    const day = truth.traffic(filter, midnight, midnight + DAY);
    for (const [value, name] of Object.entries(TRAFFIC))
      add(
        'graph' in labels ? `graph_${name.replace('traffic_', '')}` : name,
        labels,
        midnight,
        day[value as keyof typeof TRAFFIC],
      );
  }
};

const addLedger = ({ truth }: Simulator, midnight: number, add: Add): void => {
  const date = new Date(midnight).toISOString().slice(0, 10);
  for (const row of truth.ledger()) {
    if (row.residential_ledger_period_date !== date) continue;
    const { residential_ledger_bytes: bytes, residential_ledger_reason: reason } = row;
    // Use is negative in the simulator's ledger.
    add(`residential_ledger_${bytes < 0 ? 'used' : 'added'}_bytes`, { reason }, midnight, Math.abs(bytes));
    add('residential_ledger_requests', { reason }, midnight, row.residential_ledger_requests);
  }
};

/** What each user used between two listings counts on the day of the second. Less than before counts as nothing. */
const addUsage = ({ truth }: Simulator, listings: Listings, midnights: readonly number[], add: Add): void => {
  for (const [index, at] of listings.entries()) {
    const since = listings[index - 1];
    const midnight = midnights.findLast((each) => each < at);
    if (since === undefined || midnight === undefined || at > midnight + DAY) continue;
    const before = truth.users(since);
    for (const [id, used] of truth.users(at))
      for (const type of ['residential', 'mobile'] as const)
        add(
          'proxy_users_usage_bytes',
          { product_type: type },
          midnight,
          Math.max(0, used[type] - (before.get(id)?.[type] ?? 0)),
        );
  }
};

/** Returns the sums of samples, with the corrections of a series. */
export const sumsOf = (samples: Samples, midnights = MIDNIGHTS): Sums => {
  const sums = new Map<string, number>();
  for (const [series, values] of samples) {
    const { __name__: name = '', account: _, revision: __, ...labels } = JSON.parse(series) as Labels;
    if (NO_SUM.test(name)) continue;
    for (const [at, value] of values) {
      const midnight = midnights.findLast((each) => each <= at);
      if (midnight === undefined || at >= midnight + DAY) continue;
      const key = keyOf(name.replace('proxywatch_history_', ''), labels, midnight);
      sums.set(key, (sums.get(key) ?? 0) + value);
    }
  }
  return new Map([...sums].filter(([, sum]) => sum !== 0));
};

export const keyOf = (name: string, labels: Labels, midnight: number): string => {
  const sorted = Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const text = sorted.map(([label, value]) => `${label}=${value}`).join(',');
  return `${new Date(midnight).toISOString().slice(0, 10)} ${name} ${text}`;
};
