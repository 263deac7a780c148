// Probes of many proxies against two targets, compared with blackbox_exporter, which makes as many of the same.

import { writeFileSync } from 'node:fs';
import { createServer as createHttpsServer } from 'node:https';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { keyPairOf } from '../../test/real/proxies/certificates.ts';
import { type Case, type Reading, temporaryFolder, turnsOf } from '../harness.ts';
import { answers, freePort, isInstalled, listen, Measured } from '../processes.ts';
import { ROOT, type Version } from '../versions.ts';
import { longestBlock, startDaemon, textOf } from '../world.ts';

const BLACKBOX = 'prometheus-blackbox-exporter';
const [CPU, PEAK, BLOCK] = ['CPU of a probe', 'peak RSS, probes', 'longest block, CPU: probes'];
const CA_FILE = join(ROOT, 'test/fixtures/probe-certificates/target-ca.pem');
/** An answer of a real proxy takes this long. */
const PROXY_MS = 200;
const PARALLEL = 50;
const TARGETS = 2;

export const probes: Case = {
  title: 'probes of 5,000 proxies against two targets (300 with --small)',
  figures: {
    [CPU]: { unit: 'ms', peers: { [BLACKBOX]: 0.5 } },
    ...{ [PEAK]: { unit: 'MB', most: 200 }, [BLOCK]: { unit: 'ms', most: 50 } },
  },
  contenders: async ({ versions, isSmall, stack }) => {
    const servers = await startServers(stack);
    const count = isSmall ? 300 : 5_000;
    const turns = turnsOf(versions, (version, stack) => daemonProbes(stack, version, servers, count));
    if (!isInstalled(BLACKBOX)) return turns;
    return { ...turns, [BLACKBOX]: () => blackboxProbes(stack, servers, TARGETS * count) };
  },
};

interface Servers {
  readonly proxy: number;
  readonly target: number;
  /** How many probes reached the target so far. */
  requests: number;
}

/** The proxy listens on all addresses, because each address of 127.0.0.0/8 stands for another proxy. */
const startServers = async (stack: AsyncDisposableStack): Promise<Servers> => {
  const proxy = createServer({ noDelay: true }, (client) => {
    client.on('error', () => {}).once('data', (bytes) => void openTunnel(client, bytes.toString('latin1')));
  });
  const servers = { proxy: 0, target: 0, requests: 0 };
  const target = createHttpsServer(keyPairOf('target'), (_request, response) => {
    servers.requests += 1;
    response.end('ready');
  }).on('tlsClientError', () => {});
  const ports = { proxy: await listen(stack, proxy, '0.0.0.0'), target: await listen(stack, target) };
  return Object.assign(servers, ports);
};

/** Connects to 127.0.0.1 at the port that the client names. */
const openTunnel = async (client: Socket, request: string): Promise<void> => {
  await setTimeout(PROXY_MS);
  if (client.destroyed) return;
  const target = connect(Number(/^CONNECT \S+:(\d+) /.exec(request)?.[1]), '127.0.0.1', () =>
    client.write('HTTP/1.1 200 Connection established\r\n\r\n'),
  );
  target.on('error', () => client.destroy()).on('close', () => client.destroy());
  client.on('close', () => target.destroy());
  client.pipe(target).pipe(client);
};

const addressOf = (index: number): string => `127.${1 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}`;

const daemonProbes = async (
  stack: AsyncDisposableStack,
  version: Version,
  servers: Servers,
  count: number,
): Promise<Reading> => {
  const folder = temporaryFolder(stack);
  const lines = Array.from({ length: count }, (_, n) => `${addressOf(n)}:${servers.proxy}:bench:password`);
  writeFileSync(join(folder, 'proxies.txt'), lines.join('\n'));
  const targets = ['one', 'two'].map((name) => ({
    ...{ name, url: `https://localhost:${servers.target}/${name}`, depth: 'http', ca_file: CA_FILE },
  }));
  const probes = { urls: targets, parallel: PARALLEL, control: false, proxies: [{ file: 'proxies.txt' }] };
  const account = { proxy_users: false, traffic: false, residential_ledger: false, probes };
  const urls = [`http://127.0.0.1:${servers.target}/1.0`];
  const daemon = await startDaemon(stack, version, { urls, account, folder, watchesBlocks: true });
  const { process } = daemon;
  await answers(`${daemon.origin}/-/healthy`);
  await longestBlock(daemon);
  const [cpuMs, before] = [process.cpuMs, servers.requests];
  while (servers.requests - before < TARGETS * count) await setTimeout(100);
  const reading = { [CPU]: (process.cpuMs - cpuMs) / (servers.requests - before) };
  return { ...reading, [PEAK]: process.memory.peak, [BLOCK]: await longestBlock(daemon) };
};

const blackboxProbes = async (
  stack: AsyncDisposableStack,
  servers: Servers,
  count: number,
): Promise<Reading> => {
  const config = join(temporaryFolder(stack), 'blackbox.yml');
  const http = {
    proxy_url: `http://bench:password@127.0.0.1:${servers.proxy}`,
    ...{ tls_config: { ca_file: CA_FILE }, preferred_ip_protocol: 'ip4' },
  };
  writeFileSync(config, JSON.stringify({ modules: { probe: { prober: 'http', timeout: '10s', http } } }));
  const address = `127.0.0.1:${await freePort()}`;
  const args = [`--config.file=${config}`, `--web.listen-address=${address}`, '--log.level=error'];
  await using process = new Measured(BLACKBOX, args);
  await answers(`http://${address}/-/healthy`);
  const url = `http://${address}/probe?module=probe&target=https://localhost:${servers.target}/`;
  const cpuMs = process.cpuMs;
  let left = count;
  const probeOn = async (): Promise<void> => {
    for (; left > 0; left -= 1)
      if (!/^probe_success 1$/m.test(await textOf(url))) throw new Error(`${BLACKBOX}: a probe failed`);
  };
  await Promise.all(Array.from({ length: PARALLEL }, probeOn));
  return { [CPU]: (process.cpuMs - cpuMs) / count, [PEAK]: process.memory.peak };
};
