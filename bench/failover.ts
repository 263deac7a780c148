// Measures what the loss of a node costs (Linux): kill -9 of a daemon, an outage, and a new daemon on the same files, until
// its traffic equals the truth of the simulated providers, which answer at the provider's pace.

import { setTimeout } from 'node:timers/promises';
import { HOUR, MINUTE } from '../src/lib/time.ts';
import { type Bench, inSeconds, optionsOf, printHead, printRow, temporaryFolder } from './harness.ts';
import { accountName, answers, build } from './processes.ts';
import {
  PACED,
  type Providers,
  type ScaleDaemon,
  startDaemon,
  startOn,
  startProviders,
} from './scale-daemon.ts';

/** Closed minutes do not change any more, so that they can be compared with the truth at any time. */
const CLOSED = { settle_ms: 0, late: { ratio: 0 }, revised: { ratio: 0 } };
const SCENARIO = { ...PACED, traffic: CLOSED };
const GRAPHS = ['', 'datacenter', 'isp', 'residential', 'mobile'];
const CHECK_EVERY_MS = 50;
const COUNTERS_WITHIN_MS = 120_000;
/** In this time, every account has a poll after its baseline, so that its counters have counted something. */
const COUNTING_MS = 75_000;

/** Options: `--accounts` (10) and `--hours` of each outage (1,24). */
export const failover: Bench = async (args) => {
  const { accounts, hours } = optionsOf(args, { accounts: 10, hours: '1,24' });
  build();
  const times = ['healthy', 'ready', 'store equals the truth', 'counters equal the store'];
  printHead('accounts', 'outage', ...times, 'CPU');
  for (const outage of hours.split(',')) await measure(accounts, Number(outage));
  return undefined;
};

/** The first daemon and the providers run with clocks in the past. The new daemon starts when they have the present time. */
const measure = async (accounts: number, hours: number): Promise<void> => {
  using folder = temporaryFolder();
  const behindMs = hours * HOUR;
  const start = new Date(Date.now() - behindMs - 10 * 24 * HOUR).toISOString();
  using providers = await startProviders(accounts, { ...SCENARIO, start }, behindMs);
  const clock = ['--import', `${import.meta.dirname}/shifted-clock.ts`];
  const env = { CLOCK_BEHIND_MS: String(behindMs) };
  using first = await startDaemon(folder.path, providers.urls, {}, { flags: clock, env });
  await answers(`http://${first.address}/-/ready`, true, 1_000);
  await setTimeout(COUNTING_MS);
  const from = minuteOf(Date.now() - behindMs) - 10 * MINUTE;
  await equalTruth(first, providers, from, minuteOf(Date.now() - behindMs));
  const before = await allRequests(first, accounts, from, Date.now() - behindMs + MINUTE);
  await first.program.killed();
  providers.setBehind(0);
  await setTimeout(1_000);
  const startedAt = performance.now();
  const end = minuteOf(Date.now());
  using second = startOn(first);
  const since = () => inSeconds(performance.now() - startedAt);
  await answers(`http://${second.address}/-/healthy`);
  const healthy = since();
  await answers(`http://${second.address}/-/ready`, true, CHECK_EVERY_MS);
  const isReady = since();
  await equalTruth(second, providers, from, end);
  const [caughtUp, cpu] = [since(), inSeconds(second.program.cpuMs)];
  await countersRoseAsStored(second, accounts, from, before);
  printRow(accounts, `${hours} h`, healthy, isReady, caughtUp, since(), cpu);
};

/** A run renders its counters when it ends, so they follow the store. Throws if they never rise by what was stored. */
const countersRoseAsStored = async (
  daemon: ScaleDaemon,
  accounts: number,
  from: number,
  before: Requests,
): Promise<void> => {
  const endsAt = performance.now() + COUNTERS_WITHIN_MS;
  for (;;) {
    const after = await allRequests(daemon, accounts, from, Date.now() + MINUTE);
    const [counted, stored] = [after.counted - before.counted, after.stored - before.stored];
    if (counted === stored) return;
    if (performance.now() > endsAt) throw new Error(`counters rose by ${counted}, and not ${stored}`);
    await setTimeout(CHECK_EVERY_MS);
  }
};

interface Requests {
  readonly counted: number;
  readonly stored: number;
}

const minuteOf = (at: number): number => Math.floor(at / MINUTE) * MINUTE;

/** Waits until all graphs of all accounts have the requests of [from, to) that the providers counted. */
const equalTruth = async (
  { address }: ScaleDaemon,
  { urls }: Providers,
  from: number,
  to: number,
): Promise<void> => {
  for (const [index, url] of urls.entries())
    for (const graph of GRAPHS) {
      const network = graph === '' ? '' : `&network=${graph}`;
      const truth = await json(`${new URL(url).origin}/-/truth?from=${from}&to=${to}${network}`);
      while ((await storedRequests(address, index, graph, from, to)) !== truth.traffic?.requests)
        await setTimeout(CHECK_EVERY_MS);
    }
};

const storedRequests = async (
  address: string,
  index: number,
  graph: string,
  from: number,
  to: number,
): Promise<number | undefined> => {
  const range = [from, to].map((at) => new Date(at).toISOString());
  const query = `graph=${graph}&from=${range[0]}&to=${range[1]}&step=raw`;
  const path = `http://${address}/api/v1/accounts/${accountName(index)}/traffic?${query}`;
  return (await json(path)).totals?.requests;
};

/** Returns the requests of whole accounts: as stored since `from`, and as counted. */
const allRequests = async (
  { address }: ScaleDaemon,
  accounts: number,
  from: number,
  to: number,
): Promise<Requests> => {
  // A poll between the two readings would change only one of them.
  for (;;) {
    const counted = await countedRequests(address);
    let stored = 0;
    for (let index = 0; index < accounts; index += 1)
      stored += (await storedRequests(address, index, '', from, to)) ?? 0;
    if (counted === (await countedRequests(address))) return { counted, stored };
  }
};

const countedRequests = async (address: string): Promise<number> => {
  const text = await (await fetch(`http://${address}/metrics?collector=traffic`)).text();
  const values = text.matchAll(/^proxywatch_traffic_requests_total\{.*\} (\S+)$/gm);
  return [...values].reduce((sum, [, value]) => sum + Number(value), 0);
};

interface Answer {
  readonly totals?: { readonly requests: number };
  readonly traffic?: { readonly requests: number };
}

const json = async (url: string): Promise<Answer> => (await (await fetch(url)).json()) as Answer;
