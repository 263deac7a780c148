// A daemon that polls traffic alone, the truth of what it should have counted, and what it asked for.

import { HOUR, MINUTE } from '../../../src/lib/time.ts';
import type { ScenarioInput } from '../../../src/simulator/scenario.ts';
import type { TrafficFilter } from '../../../src/simulator/traffic/slices.ts';
import { Harness, type HarnessOptions } from '../../support/harness.ts';

/** Half a minute past the minute, so that slots with their offsets lie between steps of whole minutes. */
export const START = '2026-07-06T12:01:30Z';
/** Traffic that grows and settles, but is neither late nor revised. */
export const STEADY: ScenarioInput['traffic'] = { late: { ratio: 0 }, revised: { ratio: 0 } };

interface TrafficHouse extends Pick<HarnessOptions, 'firstStepHold' | 'log'> {
  readonly now?: string;
  readonly scenario?: ScenarioInput;
  readonly traffic?: Record<string, unknown>;
  readonly account?: Record<string, unknown>;
}

/** Polled every minute, with a short history and no graphs beside the whole account unless told. */
export const buildTraffic = ({ now = START, scenario, traffic, account, ...rest }: TrafficHouse = {}) =>
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

/** What the slice's bytes have grown by since `since` (ms or ISO), those of the hour before it among them. */
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

/** The whole account's bytes as they are shown, less what is withheld. */
export const netBytes = async (harness: Harness): Promise<number> => {
  const samples = await harness.samples();
  const [shown, withheld] = ['bytes_total', 'withheld_bytes'].map((name) =>
    samples.value(`proxywatch_traffic_${name}`),
  );
  return (shown ?? Number.NaN) - (withheld ?? Number.NaN);
};

export interface Asked {
  /** All in ms. */
  readonly at: number;
  readonly from: number;
  readonly to: number;
  readonly status: number;
  readonly query: Readonly<Record<string, string>>;
}

/** What was asked of analytics/graph since the request with that number, in UTC; oldest first. */
export const askedOf = ({ simulator }: Harness, since = 0): Asked[] =>
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

/** Does something and gives what was asked of analytics/graph meanwhile. */
export const askedDuring = async (harness: Harness, work: () => Promise<void>): Promise<Asked[]> => {
  const before = harness.simulator.requests.recent.length;
  await work();
  return askedOf(harness, before);
};

const instantOf = (datetime = ''): number => Date.parse(`${datetime.replace(' ', 'T')}Z`);
