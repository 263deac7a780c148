// Lets a daemon live through an outage of an hour and the hours after it, and collects what it did meanwhile.

import { expect } from 'vitest';
import { MINUTE } from '../../src/lib/time.ts';
import {
  expectedLedgerGrowth,
  expectedTrafficGrowth,
  netLedgerCounters,
  netTrafficCounters,
} from '../support/expected-counters.ts';
import type { Harness } from '../support/harness.ts';
import type { LogLine } from '../support/recording-log.ts';
import type { LifeOptions, Twin, Twins } from '../support/twins.ts';
import type { Outage } from './outages.ts';
import { GRAPHS, START, STEP_MS, STEPS_PER_HOUR } from './watched-account.ts';

export interface Hour {
  /** The lines of the log at info and above, in the hour of the outage and after it. */
  readonly during: readonly LogLine[];
  readonly after: readonly LogLine[];
  readonly requests: number;
  /** The most connections that the provider had at the end of a step. */
  readonly connections: number;
  readonly twin: Twin;
}

/** The outage begins once every collector has succeeded. */
const BEGIN = 2;

const requestsOf = ({ provider }: Twins): number => provider.requests.length;

const isShown = ({ level }: LogLine): boolean => level !== 'debug' && level !== 'trace';

export const liveThrough = async (
  twins: Twins,
  { react, begin }: Partial<Outage>,
  { onStep, ...others }: Partial<Pick<LifeOptions, 'account' | 'onStep'>> = {},
): Promise<Hour> => {
  let [isOut, count, connections] = [false, 0, 0];
  let [requestsBefore, requests, linesBefore, linesDuring] = [0, 0, 0, 0];
  let end: (() => void) | undefined;
  const lines: LogLine[] = [];
  const twin = await twins.live(
    {
      matches: () => isOut && react !== undefined,
      react: (answer, request) => react?.(answer, count++, request) ?? answer,
    },
    {
      ...others,
      log: lines,
      onStep: async (harness, step) => {
        if (step === BEGIN) [isOut, requestsBefore, linesBefore] = [true, requestsOf(twins), lines.length];
        if (step === BEGIN) end = begin?.(twins.provider);
        connections = Math.max(connections, await connectionsOf(twins));
        await onStep?.(harness, step - BEGIN);
        if (step !== BEGIN + STEPS_PER_HOUR) return;
        end?.();
        [isOut, requests, linesDuring] = [false, requestsOf(twins) - requestsBefore, lines.length];
      },
      atEnd: (harness) => expectTruth(harness, twins),
    },
  );
  const [during, after] = [lines.slice(linesBefore, linesDuring), lines.slice(linesDuring)];
  return { during: during.filter(isShown), after: after.filter(isShown), requests, connections, twin };
};

const connectionsOf = ({ provider: { server } }: Twins): Promise<number> =>
  new Promise((resolve) => server.getConnections((_, count) => resolve(count)));

/** Expects that the counters less withheld values have grown as the provider's data has. */
const expectTruth = async (harness: Harness, { simulator }: Twins): Promise<void> => {
  // The traffic is read once more, at the time for which the truth is computed.
  await harness.advance(STEP_MS);
  const samples = await harness.samples();
  const until = Math.ceil(harness.clock.now() / MINUTE) * MINUTE;
  for (const graph of ['', ...Object.keys(GRAPHS)]) {
    const truth = expectedTrafficGrowth(simulator, GRAPHS[graph]?.filter ?? {}, Date.parse(START), until);
    expect([graph, netTrafficCounters(samples, graph)]).toEqual([graph, truth]);
  }
  expect(netLedgerCounters(samples)).toEqual(expectedLedgerGrowth(simulator, Date.parse(START)));
};
