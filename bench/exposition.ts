// Compares scrapes of 600,000 series over loopback: from proxywatch, from prom-client, and of the same bytes in a file.

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { FAMILIES } from './exposition-series.ts';
import type { Rendering } from './exposition-server.ts';

interface Contender extends Disposable {
  readonly process: ChildProcess;
  readonly port: number;
}

type Name = (typeof NAMES)[number];

const NAMES = ['ours', 'prom-client', 'static'] as const;
const SERVER = new URL('exposition-server.ts', import.meta.url);
const MIB = 2 ** 20;
const RENDERINGS = 3;

/** Options: `--users` (100000; 6 series each) and `--rounds` (7). */
export const exposition = async (args: readonly string[]): Promise<void> => {
  const options = {
    users: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '7' },
  } as const;
  const { users, rounds } = parseArgs({ args: [...args], options }).values;
  const directory = await mkdtemp(join(tmpdir(), 'proxywatch-bench-'));
  using agent = disposableAgent();
  try {
    using ours = await start('ours', users);
    console.log(`${Number(users) * FAMILIES.length} series`);
    await reportRendering(ours.process);
    const file = join(directory, 'metrics.gz');
    await writeFile(file, await download(ours.port, agent));
    using promClient = await start('prom-client', users);
    using fixed = await start('static', users, file);
    await reportScrapes({ ours, 'prom-client': promClient, static: fixed }, Number(rounds), agent);
  } finally {
    await rm(directory, { recursive: true });
  }
};

const reportRendering = async (server: ChildProcess): Promise<void> => {
  const renderings: Rendering[] = [];
  while (renderings.length < RENDERINGS) {
    server.send('render');
    const [rendering] = await once(server, 'message');
    renderings.push(rendering);
  }
  const middle = (figure: keyof Rendering) => median(renderings.map((rendering) => rendering[figure]));
  console.log(`rendering: CPU ${ms(middle('cpuMs'))}, wall ${ms(middle('wallMs'))}`);
  console.log(`event loop delay meanwhile, p99: ${ms(middle('loopDelayP99Ms'))}`);
  console.log(`RSS after it: ${mib(Math.max(...renderings.map(({ rssBytes }) => rssBytes)))}`);
};

const reportScrapes = async (
  contenders: Readonly<Record<Name, Contender>>,
  rounds: number,
  agent: Agent,
): Promise<void> => {
  const timesMs = { ours: [] as number[], 'prom-client': [] as number[], static: [] as number[] };
  // The contenders take turns, so that other load affects all of them equally. The first round is a warm-up.
  for (let round = 0; round <= rounds; round += 1) {
    for (const name of NAMES) {
      const startedAt = performance.now();
      const body = await download(contenders[name].port, agent);
      const tookMs = performance.now() - startedAt;
      if (round === 0) console.log(`scrape of ${name}: ${mib(body.length)} compressed`);
      else timesMs[name].push(tookMs);
    }
  }
  const medianOf = (name: Name) => median(timesMs[name]);
  for (const name of ['ours', 'prom-client', 'static'] as const)
    console.log(`scrape of ${name}: ${ms(medianOf(name))}`);
  console.log(`ours / static: ${(medianOf('ours') / medianOf('static')).toFixed(2)} (goal: at most 2)`);
  console.log(`prom-client / ours: ${(medianOf('prom-client') / medianOf('ours')).toFixed(1)}`);
};

const start = async (...args: string[]): Promise<Contender> => {
  const process = fork(SERVER, args);
  const [port] = await once(process, 'message');
  return { process, port, [Symbol.dispose]: () => process.kill() };
};

const disposableAgent = (): Agent & Disposable => {
  const agent = new Agent({ keepAlive: true });
  return Object.assign(agent, { [Symbol.dispose]: () => agent.destroy() });
};

/** Returns the compressed body. Decompression in the client would be measured as part of the scrape. */
const download = async (port: number, agent: Agent): Promise<Buffer> => {
  const request = get({ host: '127.0.0.1', port, agent, headers: { 'accept-encoding': 'gzip' } });
  const [response] = await once(request, 'response');
  return Buffer.concat(await response.toArray());
};

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

const ms = (value: number): string => `${value.toFixed(1)} ms`;

const mib = (bytes: number): string => `${(bytes / MIB).toFixed(1)} MiB`;
