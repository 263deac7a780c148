// Compares a daemon's poll of many users, including rendering, with a minimal loop that fetches, parses and inserts.

import { startSimulator } from '../src/simulator/simulator.ts';
import {
  type Bench,
  type Cost,
  figure,
  inMib,
  inMs,
  inTurns,
  median,
  optionsOf,
  printHead,
  printRow,
  ratioOf,
  temporaryFolder,
} from './harness.ts';
import { DAEMON_FLAGS, startScript } from './processes.ts';

const STEP_MS = 300_000;

/** Options: `--users` (100000) and `--rounds` (3, after a first round that fills the store). */
export const poll: Bench = async (args) => {
  const { users, rounds } = optionsOf(args, { users: 100_000, rounds: 3 });
  using folder = temporaryFolder();
  using stack = new DisposableStack();
  let now = Date.now();
  await using simulator = await startSimulator({ scenario: { users, pace: null }, now: () => now });
  const { baseUrl, publicKey, privateKey } = simulator;
  const provider = JSON.stringify({ baseUrl, publicKey, privateKey });
  const start = async (kind: string) => {
    const args = [kind, provider, `${folder.path}/${kind}.db`];
    const worker = stack.use(startScript('poll-worker.ts', args, { flags: DAEMON_FLAGS }));
    await worker.message();
    return () => worker.ask<Cost>({});
  };
  const [ours, bare] = [await start('daemon'), await start('bare')];
  const step = async (): Promise<Cost> => {
    const cost = await bare();
    now += STEP_MS;
    return cost;
  };
  const results = await inTurns({ ours, bare: step }, rounds + 1, 0);
  const [all, others] = [results.get('ours') ?? [], results.get('bare') ?? []];
  console.log(
    `${users} users; the first poll fills the store; event loop delay beyond the timer's resolution`,
  );
  printHead('poll', 'CPU ours', 'CPU bare', 'ratio', 'event loop p99 ours', 'RSS ours');
  for (const [index, { cpuMs, loopDelayP99Ms, rssBytes }] of all.entries()) {
    const other = others[index]?.cpuMs ?? Number.NaN;
    const ratio = (cpuMs / other).toFixed(2);
    printRow(index + 1, inMs(cpuMs), inMs(other), ratio, inMs(loopDelayP99Ms, 1), inMib(rssBytes));
  }
  const name = `poll of ${users} users with rendering`;
  const ratio = ratioOf(all.slice(1), others.slice(1), ({ cpuMs }) => cpuMs);
  const delay = median(all.slice(1).map(({ loopDelayP99Ms }) => loopDelayP99Ms));
  return [
    figure(`${name}: CPU time / that of a bare loop`, ratio, '×', 2),
    figure(`${name}: delay of the event loop, p99`, delay, 'ms', 15),
  ];
};
