// Compares scrapes of 600,000 series over loopback: from proxywatch, from prom-client, and of the same bytes in a file.

import { type ChildProcess, fork, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, get, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { answers, cpuMsOf, freePort } from './daemon-process.ts';
import { FAMILIES } from './exposition-series.ts';
import type { Rendering } from './exposition-server.ts';
import { type Figure, median } from './figure.ts';

interface Contender extends Disposable {
  readonly process: ChildProcess;
  readonly port: number;
}

type Contenders = Readonly<Record<string, Contender>>;

const PUSHGATEWAY = 'prometheus-pushgateway';
const SERVER = new URL('exposition-server.ts', import.meta.url);
const MIB = 2 ** 20;
const RENDERINGS = 3;
/** A scrape of the other programs takes seconds. */
const ROUNDS_OF_OTHERS = 3;

/** Options: `--users` (100000; 6 series each), `--rounds` (40), and `--no-others` for no scrapes of other programs. */
export const exposition = async (args: readonly string[]): Promise<readonly Figure[]> => {
  const options = {
    users: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '40' },
    others: { type: 'boolean', default: true },
  } as const;
  const { users, rounds, others } = parseArgs({ args: [...args], options, allowNegative: true }).values;
  const directory = await mkdtemp(join(tmpdir(), 'proxywatch-bench-'));
  using agent = disposableAgent();
  try {
    using ours = await start('ours', users);
    console.log(`${Number(users) * FAMILIES.length} series`);
    await reportRendering(ours.process);
    const file = join(directory, 'metrics.gz');
    const text = await download(ours.port, agent);
    await writeFile(file, text);
    using fixed = await start('static', users, file);
    const [time, cpu] = await compareWithFile({ ours, static: fixed }, Number(rounds), agent);
    if (others) await scrapeOthers({ ours, users, text }, agent);
    return [
      {
        what: 'time of a scrape / that of a static file with the same bytes',
        ...{ value: time, unit: '×', goal: 1.2 },
      },
      { what: 'CPU time of a scrape / that of a static file', value: cpu, unit: '×', goal: 3 },
    ];
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

/** Returns the ratios of the times and of the CPU times of the servers. */
const compareWithFile = async (
  contenders: { readonly ours: Contender; readonly static: Contender },
  rounds: number,
  agent: Agent,
): Promise<[time: number, cpu: number]> => {
  const cpuMs = () => [contenders.ours, contenders.static].map(({ process }) => cpuMsOf(process));
  const before = cpuMs();
  const ratios = await scrapesOf(contenders, rounds, agent);
  const [ours = 0, fixed = 0] = cpuMs().map((ms, index) => ms - (before[index] ?? 0));
  return [1 / (ratios.get('static') ?? Number.NaN), ours / fixed];
};

const scrapeOthers = async (
  { ours, users, text }: { readonly ours: Contender; readonly users: string; readonly text: Buffer },
  agent: Agent,
): Promise<void> => {
  using promClient = await start('prom-client', users);
  using pushgateway = await startPushgateway(text, agent);
  const others = pushgateway ? { 'prom-client': promClient, pushgateway } : { 'prom-client': promClient };
  await scrapesOf({ ours, ...others }, ROUNDS_OF_OTHERS, agent);
};

/**
 * Scrapes the contenders in turns, so that other load affects all of them equally. Returns by contender how many times as
 * long as ours its shortest scrape took: other load makes a scrape longer, never shorter.
 */
const scrapesOf = async (
  contenders: Contenders,
  rounds: number,
  agent: Agent,
): Promise<ReadonlyMap<string, number>> => {
  const timesMs = new Map<string, number[]>();
  // The first round is a warm-up.
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, { port }] of Object.entries(contenders)) {
      const startedAt = performance.now();
      const body = await download(port, agent);
      const tookMs = performance.now() - startedAt;
      if (round === 0) console.log(`scrape of ${name}: ${mib(body.length)} compressed`);
      else timesMs.set(name, [...(timesMs.get(name) ?? []), tookMs]);
    }
  }
  const shortest = (name: string) => Math.min(...(timesMs.get(name) ?? []));
  for (const [name, { process }] of Object.entries(contenders)) {
    const times = `shortest ${ms(shortest(name))}, median ${ms(median(timesMs.get(name) ?? []))}`;
    console.log(`scrape of ${name}: ${times}, RSS of the process ${mib(rssOf(process))}`);
  }
  const ratios = new Map(Object.keys(contenders).map((name) => [name, shortest(name) / shortest('ours')]));
  for (const [name, ratio] of ratios) if (name !== 'ours') console.log(`${name} / ours: ${ratio.toFixed(2)}`);
  return ratios;
};

const rssOf = ({ pid }: ChildProcess): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1_024;

/** Starts Prometheus's own program for series that others send it, with the same series. */
const startPushgateway = async (text: Buffer, agent: Agent): Promise<Contender | undefined> => {
  if (spawnSync('which', [PUSHGATEWAY]).status !== 0) {
    console.log(`${PUSHGATEWAY} is not installed`);
    return undefined;
  }
  const port = await freePort();
  const process = spawn(PUSHGATEWAY, [`--web.listen-address=127.0.0.1:${port}`, '--log.level=error'], {
    stdio: 'inherit',
  });
  await answers(`http://127.0.0.1:${port}/-/ready`);
  const pushed = request({ port, agent, method: 'PUT', path: '/metrics/job/bench' });
  pushed.end(gunzipSync(text));
  const [response] = await once(pushed, 'response');
  const problem = Buffer.concat(await response.toArray()).toString();
  if (response.statusCode !== 200)
    throw new Error(`${PUSHGATEWAY} answered ${response.statusCode}: ${problem}`);
  return { process, port, [Symbol.dispose]: () => process.kill() };
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

const ms = (value: number): string => `${value.toFixed(1)} ms`;

const mib = (bytes: number): string => `${(bytes / MIB).toFixed(1)} MiB`;
