// Runs one contender of the exposition benchmark in its own process: node exposition-server.ts KIND USERS [FILE]

import { readFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { Counter, Gauge, Registry } from 'prom-client';
import type { Family } from '../src/lib/family.ts';
import { DaemonMetrics } from '../src/metrics/daemon-metrics.ts';
import { Exposition } from '../src/metrics/exposition.ts';
import { eachSeries, FAMILIES } from './exposition-series.ts';

/** The measurements that the server sends to its parent process after each rendering. */
export interface Rendering {
  readonly cpuMs: number;
  readonly wallMs: number;
  readonly loopDelayP99Ms: number;
  readonly rssBytes: number;
}

type Respond = (response: ServerResponse) => Promise<void>;

const ours = async (users: number): Promise<Respond> => {
  const daemon = new DaemonMetrics({ version: 'bench', nodeVersion: process.versions.node });
  const exposition = new Exposition(FAMILIES, daemon);
  const render = () =>
    exposition.render({ collector: 'proxy_users', account: 'main' }, (sink) =>
      eachSeries(users, sink.sample.bind(sink), () => sink.drain()),
    );
  await render();
  process.on('message', async () => process.send?.(await measure(render)));
  return async (response) => {
    const { contentType, contentLength, body } = await exposition.scrape({
      format: 'text',
      encoding: 'gzip',
    });
    response.writeHead(200, {
      'Content-Type': contentType,
      'Content-Encoding': 'gzip',
      'Content-Length': contentLength,
    });
    body.pipe(response);
  };
};

const promClient = async (users: number): Promise<Respond> => {
  const registry = new Registry();
  const labelled = ({ name, help, labels }: Family) => ({
    name,
    help,
    labelNames: ['account', ...labels],
    registers: [registry],
  });
  const metrics = new Map<string, (labels: Record<string, string>, value: number) => void>();
  for (const family of FAMILIES) {
    const metric = family.type === 'counter' ? new Counter(labelled(family)) : new Gauge(labelled(family));
    metrics.set(family.name, (labels, value) => metric.inc(labels, value));
  }
  await eachSeries(users, ({ name }, labels, value) =>
    metrics.get(name)?.({ account: 'main', ...labels }, value ?? 0),
  );
  return async (response) => {
    const body = await promisify(gzip)(await registry.metrics());
    response.writeHead(200, { 'Content-Encoding': 'gzip', 'Content-Length': body.length }).end(body);
  };
};

const staticFile = async (_users: number, path: string): Promise<Respond> => {
  const body = await readFile(path);
  return async (response) => {
    response.writeHead(200, { 'Content-Encoding': 'gzip', 'Content-Length': body.length }).end(body);
  };
};

const measure = async (work: () => Promise<void>): Promise<Rendering> => {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const startedAt = performance.now();
  const cpu = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(cpu);
  const wallMs = performance.now() - startedAt;
  delay.disable();
  return {
    cpuMs: (user + system) / 1_000,
    wallMs,
    loopDelayP99Ms: delay.percentile(99) / 1e6,
    rssBytes: process.memoryUsage.rss(),
  };
};

const CONTENDERS = { ours, 'prom-client': promClient, static: staticFile };

const [, , kind = '', users = '', path = ''] = process.argv;
const respond = await CONTENDERS[kind as keyof typeof CONTENDERS](Number(users), path);
// Without the parent process there are no more scrapes.
process.on('disconnect', () => process.exit());
const server = createServer((_request, response) => void respond(response));
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
