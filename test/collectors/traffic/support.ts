// Builds a daemon that only polls traffic, and returns what it should have counted and what it requested.

import { HOUR, MINUTE } from '../../../src/lib/time.ts';
import type { ScenarioInput } from '../../../src/simulator/scenario.ts';
import type { TrafficFilter } from '../../../src/simulator/traffic/slices.ts';
import { Harness, type HarnessOptions } from '../../support/harness.ts';

/** A time half a minute past the minute, so that slots with their offsets lie between steps of whole minutes. */
export const START = '2026-07-06T12:01:30Z';
/** Traffic that grows and settles, but is neither late nor revised. */
export const STEADY: ScenarioInput['traffic'] = { late: { ratio: 0 }, revised: { ratio: 0 } };

interface TrafficHarnessOptions extends Pick<HarnessOptions, 'firstStepHold' | 'log'> {
  readonly now?: string;
  readonly scenario?: ScenarioInput;
  readonly traffic?: Record<string, unknown>;
  readonly account?: Record<string, unknown>;
}

/** Polls every minute, with a short history and without graphs besides the whole account, unless `traffic` differs. */
export const buildTraffic = ({
  now = START,
  scenario,
  traffic,
  account,
  ...rest
}: TrafficHarnessOptions = {}) =>
  Harness.build({
    now,
    scenario: { traffic: STEADY, ...scenario },
    account: {
      traffic: { graphs: [], catch_up: '4h', ...traffic },
      residential_ledger: false,
      proxy_users: false,
      reconciliation: false,
      ...account,
    },
    ...rest,
  });

/** Returns the growth of the slice's bytes since `since` (ms or ISO), including growth in the hour before it. */
export const grownSince = (
  { simulator, clock }: Harness,
  since: number | string,
  filter: TrafficFilter = {},
): number => {
  const startedAt = typeof since === 'string' ? Date.parse(since) : since;
  const [from, to] = [startedAt - HOUR, clock.now() + MINUTE];
  const bytesAt = (at: number): number => simulator.truth.traffic(filter, from, to, at).bytes;
  return bytesAt(clock.now()) - bytesAt(startedAt);
};

/** Returns the shown bytes of the whole account minus the withheld ones. */
export const netBytes = async (harness: Harness): Promise<number> => {
  const samples = await harness.samples();
  const [shown, withheld] = ['bytes_total', 'withheld_bytes'].map((name) =>
    samples.value(`proxywatch_traffic_${name}`),
  );
  return (shown ?? Number.NaN) - (withheld ?? Number.NaN);
};

export interface GraphRequest {
  /** Times in ms: of the request, and the bounds of its range. */
  readonly at: number;
  readonly from: number;
  readonly to: number;
  readonly status: number;
  readonly query: Readonly<Record<string, string>>;
}

/** Returns the requests of analytics/graph from the request with number `since` on, in UTC, oldest first. */
export const graphRequests = ({ simulator }: Harness, since = 0): GraphRequest[] =>
  simulator.requests.recent
    .slice(since)
    .filter(({ endpoint }) => endpoint === 'analytics/graph')
    .map(({ at, status, query }) => ({
      at,
      from: instantOf(query.period_start),
      to: instantOf(query.period_end),
      status,
      query,
    }));

/** Runs `work` and returns the requests of analytics/graph that were made meanwhile. */
export const graphRequestsDuring = async (
  harness: Harness,
  work: () => Promise<void>,
): Promise<GraphRequest[]> => {
  const before = harness.simulator.requests.recent.length;
  await work();
  return graphRequests(harness, before);
};

const instantOf = (datetime = ''): number => Date.parse(`${datetime.replace(' ', 'T')}Z`);
