// Compares a daemon's poll of many users, including rendering, with a minimal loop that fetches, parses and inserts.

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startSimulator } from '../src/simulator/simulator.ts';
import { type Figure, median } from './figure.ts';
import type { Poll } from './poll-worker.ts';

const WORKER = new URL('poll-worker.ts', import.meta.url);
const STEP_MS = 300_000;
/** As `proxywatch run` starts itself. */
const FLAGS = [
  '-r',
  fileURLToPath(new URL('../src/low-memory.cjs', import.meta.url)),
  '--max-semi-space-size=1',
];

/** Options: `--users` (100000) and `--rounds` (3, after a first round that fills the store). */
export const poll = async (args: readonly string[]): Promise<readonly Figure[]> => {
  const options = {
    users: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '3' },
  } as const;
  const { users, rounds } = parseArgs({ args: [...args], options }).values;
  const folder = await mkdtemp(join(tmpdir(), 'proxywatch-bench-'));
  let now = Date.now();
  try {
    await using simulator = await startSimulator({
      scenario: { users: Number(users), pace: null },
      now: () => now,
    });
    const { baseUrl, publicKey, privateKey } = simulator;
    const provider = JSON.stringify({ baseUrl, publicKey, privateKey });
    const daemon = await start('daemon', provider, join(folder, 'daemon.db'));
    const bare = await start('bare', provider, join(folder, 'bare.db'));
    const polls: { daemon: Poll; bare: Poll }[] = [];
    for (let round = 0; round <= Number(rounds); round += 1) {
      polls.push({ daemon: await pollOnce(daemon), bare: await pollOnce(bare) });
      now += STEP_MS;
    }
    report(Number(users), polls);
    daemon.kill();
    bare.kill();
    return figuresOf(Number(users), polls);
  } finally {
    await rm(folder, { recursive: true });
  }
};

/** The first poll is left out. */
const figuresOf = (users: number, [, ...polls]: readonly { daemon: Poll; bare: Poll }[]): Figure[] => {
  const name = `poll of ${users} users with rendering`;
  const ratio = median(polls.map(({ daemon, bare }) => daemon.cpuMs / bare.cpuMs));
  const delay = median(polls.map(({ daemon }) => daemon.loopDelayP99Ms));
  return [
    { what: `${name}: CPU time / that of a bare loop`, value: ratio, unit: '×', goal: 2 },
    { what: `${name}: delay of the event loop, p99`, value: delay, unit: 'ms', goal: 15 },
  ];
};

const start = async (kind: string, provider: string, path: string): Promise<ChildProcess> => {
  const worker = fork(WORKER, [kind, provider, path], { execArgv: FLAGS });
  await once(worker, 'message');
  return worker;
};

const pollOnce = async (worker: ChildProcess): Promise<Poll> => {
  const answered = once(worker, 'message');
  worker.send('poll');
  const [figures] = (await answered) as [Poll];
  return figures;
};

const report = (users: number, polls: readonly { daemon: Poll; bare: Poll }[]): void => {
  console.log(
    `${users} users; the first poll fills the store; event loop delay beyond the timer's resolution`,
  );
  console.log(
    '| poll | CPU ours | CPU bare | ratio | event loop p99 ours | RSS ours |\n|---|---|---|---|---|---|',
  );
  for (const [index, { daemon, bare }] of polls.entries()) {
    const cells = [
      index + 1,
      `${daemon.cpuMs.toFixed(0)} ms`,
      `${bare.cpuMs.toFixed(0)} ms`,
      (daemon.cpuMs / bare.cpuMs).toFixed(2),
      `${daemon.loopDelayP99Ms.toFixed(1)} ms`,
      `${(daemon.rssBytes / 2 ** 20).toFixed(0)} MiB`,
    ];
    console.log(`| ${cells.join(' | ')} |`);
  }
};
