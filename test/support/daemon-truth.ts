// Compares the counters of a real daemon, whose collectors run every second or so, with the simulator's truth.

import { expect } from 'vitest';
import { MINUTE, SECOND } from '../../src/lib/time.ts';
import type { Simulator } from '../../src/simulator/simulator.ts';
import type { TrafficFilter } from '../../src/simulator/traffic/slices.ts';
import { getText, waitUntil } from '../cli/program.ts';
import { decreasedCounters } from './counters.ts';
import {
  expectedLedgerGrowth,
  expectedTrafficGrowth,
  netLedgerCounters,
  netTrafficCounters,
} from './expected-counters.ts';
import { parseSamples } from './harness.ts';
import { Samples } from './samples.ts';

/** A graph for each kind of filter, with the same filter of the simulator. */
const SLICES: Readonly<Record<string, { options: Record<string, string>; filter: TrafficFilter }>> = {
  residential: { options: { product_type: 'residential' }, filter: { network: 'residential' } },
  shop: { options: { hostname: 'shop.example' }, filter: { hostname: 'shop.example' } },
  alice: { options: { proxy_user_id: 'user-000003' }, filter: { proxyUserId: 'user-000003' } },
};

/** The setting `traffic.graphs` of an account whose counters are compared. */
export const GRAPHS = Object.entries(SLICES).map(([name, { options }]) => ({ name, ...options }));

/** Expects that traffic, graphs and ledger grew since `startedAt` (ms) as much as the simulator's. */
export const expectTruth = ({ samples, end }: LastScrape, simulator: Simulator, startedAt: number): void => {
  for (const name of ['', ...Object.keys(SLICES)]) {
    const truth = expectedTrafficGrowth(simulator, SLICES[name]?.filter ?? {}, startedAt, end);
    expect([name, netTrafficCounters(samples, name)]).toEqual([name, truth]);
  }
  expect(netLedgerCounters(samples)).toEqual(expectedLedgerGrowth(simulator, startedAt));
};

/** Scrapes each daemon and expects that no counter falls from one to the next. */
export class CounterObserver {
  #seen = new Map<string, number>();
  #traffic = Number.NaN;
  /** Number of scrapes in which the account's traffic had changed, up or down. */
  changes = 0;

  async check(url: string): Promise<void> {
    const text = await getText(`${url}/metrics`);
    const samples = parseSamples(text);
    expect(decreasedCounters(this.#seen, samples)).toEqual([]);
    this.#seen = samples;
    const { bytes } = netTrafficCounters(new Samples(text), '');
    this.changes += Number(bytes !== this.#traffic);
    this.#traffic = bytes;
  }
}

/** Waits until each of that many collectors has had a successful run that began at or after the instant (ms). */
export const allPolledSince = async (url: string, collectors: number, instant: number): Promise<void> => {
  await waitUntil(async () => {
    const samples = new Samples(await getText(`${url}/metrics`));
    const attempts = samples.all('proxywatch_collector_last_attempt_timestamp_seconds');
    const successes = samples.all('proxywatch_collector_success', {}).filter(({ value }) => value === 1);
    const isSince = attempts.every(({ value }) => Math.round(value * SECOND) >= instant);
    return isSince && attempts.length === collectors && successes.length === collectors;
  });
};

export interface LastScrape {
  readonly samples: Samples;
  /** End of the last requested minute (ms). */
  readonly end: number;
}

/** Scrapes after polls that began in the same minute, so that they requested everything up to the end of that minute. */
export const lastScrape = async (url: string, collectors: number): Promise<LastScrape> => {
  for (;;) {
    const minute = Math.floor(Date.now() / MINUTE);
    await allPolledSince(url, collectors, Date.now());
    const samples = new Samples(await getText(`${url}/metrics`));
    if (minute === Math.floor(Date.now() / MINUTE)) return { samples, end: (minute + 1) * MINUTE };
  }
};
