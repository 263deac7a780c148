// Runs one contender of the exposition benchmark in its own process: node exposition-server.ts KIND USERS [FILE]

import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { Counter, Gauge, Registry } from 'prom-client';
import { userFamilies } from '../src/collectors/proxy-users/families.ts';
import type { Family, SampleSink } from '../src/lib/family.ts';
import { DaemonMetrics } from '../src/metrics/daemon-metrics.ts';
import { Exposition } from '../src/metrics/exposition.ts';
import { costOf } from './harness.ts';
import { serve } from './processes.ts';

const { info, limit, used, left, usage, exhaustion } = userFamilies;
const QUOTAS = [limit, used, left, usage, exhaustion];
export const FAMILIES = [info, ...QUOTAS];
const USERS_A_PAGE = 500;
const FLAGS = { is_default: 'false', is_deleted: 'false', strict_security: 'true', enforce_https: 'false' };

/** Calls `sample` for every series in the order of a collector: user by user. */
const eachSeries = async (
  users: number,
  sample: SampleSink['sample'],
  endPage: () => Promise<void> = async () => {},
): Promise<void> => {
  for (let user = 0; user < users; user += 1) {
    const proxy_user_id = `user-${scrambled(user).toString(36)}`;
    sample(info, { proxy_user_id, access_type: 'credentials', ...FLAGS }, 1);
    const quota = { proxy_user_id, product_type: 'residential' };
    for (const [index, family] of QUOTAS.entries()) sample(family, quota, sampleValue(user, index));
    if (user % USERS_A_PAGE === 0) await endPage();
  }
};

/** The values are as hard to compress as real ones: about ten digits, and each differs from its neighbours. */
const sampleValue = (user: number, index: number): number =>
  scrambled(user * QUOTAS.length + index) * 16 + (scrambled(user + index) % 16);

/** Returns a well distributed 32-bit number for a number (the finalizer of MurmurHash3). */
const scrambled = (number: number): number => {
  let mixed = Math.imul(number ^ (number >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
};

interface Contender {
  respond(response: ServerResponse): Promise<void>;
  render?(): Promise<void>;
}

const ours = async (users: number): Promise<Contender> => {
  const daemon = new DaemonMetrics({ version: 'bench', nodeVersion: process.versions.node });
  const exposition = new Exposition(FAMILIES, daemon);
  const render = () =>
    exposition.render({ collector: 'proxy_users', account: 'main' }, (sink) =>
      eachSeries(users, sink.sample.bind(sink), () => sink.drain()),
    );
  await render();
  const respond = async (response: ServerResponse): Promise<void> => {
    const scrape = await exposition.scrape({ format: 'text', encoding: 'gzip' });
    const { contentType, contentLength, body } = scrape;
    response.writeHead(200, { ...GZIP, 'Content-Type': contentType, 'Content-Length': contentLength });
    body.pipe(response);
  };
  return { respond, render };
};

const GZIP = { 'Content-Encoding': 'gzip' };

const end = (response: ServerResponse, body: Buffer): void => {
  response.writeHead(200, { ...GZIP, 'Content-Length': body.length }).end(body);
};

const promClient = async (users: number): Promise<Contender> => {
  const registry = new Registry();
  const labelled = ({ name, help, labels }: Family) => ({
    ...{ name, help, labelNames: ['account', ...labels], registers: [registry] },
  });
  const metrics = new Map(
    FAMILIES.map((family) => [
      family.name,
      family.type === 'counter' ? new Counter(labelled(family)) : new Gauge(labelled(family)),
    ]),
  );
  await eachSeries(users, ({ name }, labels, value) =>
    metrics.get(name)?.inc({ account: 'main', ...labels }, value ?? 0),
  );
  return { respond: async (response) => end(response, await promisify(gzip)(await registry.metrics())) };
};

const staticFile = async (_users: number, path: string): Promise<Contender> => {
  const body = await readFile(path);
  return { respond: async (response) => end(response, body) };
};

const CONTENDERS = { ours, 'prom-client': promClient, static: staticFile };

if (import.meta.main) {
  const [, , kind = '', users = '', path = ''] = process.argv;
  const { respond, render } = await CONTENDERS[kind as keyof typeof CONTENDERS](Number(users), path);
  const server = createServer((_request, response) => void respond(response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  serve((server.address() as AddressInfo).port, () => render && costOf(render, false));
}
