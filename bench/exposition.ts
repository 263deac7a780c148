// Compares scrapes of 600,000 series over loopback: from proxywatch, from prom-client, and of the same bytes in a file.

import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { Agent, get, request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { FAMILIES } from './exposition-server.ts';
import {
  type Bench,
  type Cost,
  figure,
  inMib,
  inMs,
  inTurns,
  median,
  optionsOf,
  temporaryFolder,
} from './harness.ts';
import { answers, freePort, isInstalled, Measured, startScript } from './processes.ts';

interface Contender {
  readonly process: Measured;
  readonly port: number;
}

const PUSHGATEWAY = 'prometheus-pushgateway';
const RENDERINGS = 3;
/** A scrape of the other programs takes seconds. */
const ROUNDS_OF_OTHERS = 3;

/** Options: `--users` (100000; 6 series each), `--rounds` (40), and `--no-others` for no scrapes of other programs. */
export const exposition: Bench = async (args) => {
  const { users, rounds, others } = optionsOf(args, { users: 100_000, rounds: 40, others: true });
  using folder = temporaryFolder();
  using stack = new DisposableStack();
  const agent = stack.adopt(new Agent({ keepAlive: true }), (it) => it.destroy());
  const start = async (...options: string[]): Promise<Contender> => {
    const process = stack.use(startScript('exposition-server.ts', options));
    return { process, port: await process.message<number>() };
  };
  const ours = await start('ours', String(users));
  console.log(`${users * FAMILIES.length} series`);
  await reportRendering(ours.process);
  const file = `${folder.path}/metrics.gz`;
  const text = await download(ours.port, agent);
  await writeFile(file, text);
  const fixed = await start('static', String(users), file);
  const before = [ours, fixed].map(({ process }) => process.cpuMs);
  const time = 1 / ((await scrapesOf({ ours, static: fixed }, rounds, agent)).get('static') ?? Number.NaN);
  const [cpuOurs = 0, cpuFixed = 0] = [ours, fixed].map(({ process }, n) => process.cpuMs - (before[n] ?? 0));
  if (others) {
    const promClient = await start('prom-client', String(users));
    const pushgateway = await startPushgateway(text, agent, stack);
    const all = { ours, 'prom-client': promClient, ...(pushgateway && { pushgateway }) };
    await scrapesOf(all, ROUNDS_OF_OTHERS, agent);
  }
  return [
    figure('time of a scrape / that of a static file with the same bytes', time, '×', 1.2),
    figure('CPU time of a scrape / that of a static file', cpuOurs / cpuFixed, '×', 3),
  ];
};

const reportRendering = async (server: Measured): Promise<void> => {
  const renderings: Cost[] = [];
  while (renderings.length < RENDERINGS) renderings.push(await server.ask<Cost>({}));
  const middle = (cost: keyof Cost) => median(renderings.map((rendering) => rendering[cost]));
  console.log(`rendering: CPU ${inMs(middle('cpuMs'), 1)}, wall ${inMs(middle('wallMs'), 1)}`);
  console.log(`event loop delay meanwhile, p99: ${inMs(middle('loopDelayP99Ms'), 1)}`);
  console.log(`RSS after it: ${inMib(Math.max(...renderings.map(({ rssBytes }) => rssBytes)), 1)}`);
};

/**
 * Returns by contender how many times as long as ours its shortest scrape took: other load makes a scrape longer, never
 * shorter.
 */
const scrapesOf = async (
  contenders: Readonly<Record<string, Contender>>,
  rounds: number,
  agent: Agent,
): Promise<ReadonlyMap<string, number>> => {
  const scrape = async (port: number): Promise<readonly [ms: number, bytes: number]> => {
    const startedAt = performance.now();
    const body = await download(port, agent);
    return [performance.now() - startedAt, body.length];
  };
  const turns = Object.entries(contenders).map(([name, { port }]) => [name, () => scrape(port)] as const);
  const shortest = new Map<string, number>();
  for (const [name, results] of await inTurns(Object.fromEntries(turns), rounds)) {
    const times = results.map(([ms]) => ms);
    shortest.set(name, Math.min(...times));
    const size = `${inMib(results[0]?.[1] ?? 0, 1)} compressed`;
    const rss = inMib(contenders[name]?.process.memory.rss ?? 0, 1);
    const took = `shortest ${inMs(Math.min(...times), 1)}, median ${inMs(median(times), 1)}`;
    console.log(`scrape of ${name}: ${size}, ${took}, RSS of the process ${rss}`);
  }
  const ours = shortest.get('ours') ?? Number.NaN;
  const ratios = new Map([...shortest].map(([name, ms]) => [name, ms / ours]));
  for (const [name, ratio] of ratios) if (name !== 'ours') console.log(`${name} / ours: ${ratio.toFixed(2)}`);
  return ratios;
};

/** Starts Prometheus's own program for series that others send it, with the same series. */
const startPushgateway = async (
  text: Buffer,
  agent: Agent,
  stack: DisposableStack,
): Promise<Contender | undefined> => {
  if (!isInstalled(PUSHGATEWAY)) {
    console.log(`${PUSHGATEWAY} is not installed`);
    return undefined;
  }
  const port = await freePort();
  const args = [`--web.listen-address=127.0.0.1:${port}`, '--log.level=error'];
  const process = stack.use(new Measured(PUSHGATEWAY, args));
  await answers(`http://127.0.0.1:${port}/-/ready`);
  const pushed = request({ port, agent, method: 'PUT', path: '/metrics/job/bench' });
  pushed.end(gunzipSync(text));
  const [response] = await once(pushed, 'response');
  const problem = Buffer.concat(await response.toArray()).toString();
  if (response.statusCode !== 200)
    throw new Error(`${PUSHGATEWAY} answered ${response.statusCode}: ${problem}`);
  return { process, port };
};

/** Returns the compressed body. Decompression in the client would be measured as part of the scrape. */
const download = async (port: number, agent: Agent): Promise<Buffer> => {
  const request = get({ host: '127.0.0.1', port, agent, headers: { 'accept-encoding': 'gzip' } });
  const [response] = await once(request, 'response');
  return Buffer.concat(await response.toArray());
};
