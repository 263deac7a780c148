// Probes of many proxies against two targets, compared with blackbox_exporter, which makes as many of the same.

import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { keyPairOf } from '../../test/real/proxies/certificates.ts';
import { type Case, eachVersion, type Reading, temporaryFolder } from '../harness.ts';
import { answers, freePort, isInstalled, Measured } from '../processes.ts';
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
    const turns = await eachVersion(versions, (version) => () => daemonProbes(version, servers, count));
    if (!isInstalled(BLACKBOX)) return turns;
    return { ...turns, [BLACKBOX]: () => blackboxProbes(servers, TARGETS * count) };
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
  const target = createHttpsServer(keyPairOf('target'), (_request, response) => {
    servers.requests += 1;
    response.end('ready');
  }).on('tlsClientError', () => {});
  const portOf = async (server: Server, host: string): Promise<number> => {
    await once(stack.use(server).listen(0, host, 4_096), 'listening');
    return (server.address() as AddressInfo).port;
  };
  const servers = {
    ...{ proxy: await portOf(proxy, '0.0.0.0'), target: await portOf(target, '127.0.0.1'), requests: 0 },
  };
  return servers;
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

const daemonProbes = async (version: Version, servers: Servers, count: number): Promise<Reading> => {
  using folder = temporaryFolder();
  const lines = Array.from({ length: count }, (_, n) => `${addressOf(n)}:${servers.proxy}:bench:password`);
  writeFileSync(join(folder.path, 'proxies.txt'), lines.join('\n'));
  const urls = ['one', 'two'].map((name) => ({
    ...{ name, url: `https://localhost:${servers.target}/${name}`, depth: 'http', ca_file: CA_FILE },
  }));
  const probes = { urls, parallel: PARALLEL, control: false, proxies: [{ file: 'proxies.txt' }] };
  const account = { proxy_users: false, traffic: false, residential_ledger: false, probes };
  const options = { urls: [`http://127.0.0.1:${servers.target}/1.0`], account, watchesBlocks: true };
  const daemon = await startDaemon(version, folder.path, options);
  await using process = daemon.process;
  await answers(`${daemon.origin}/-/healthy`);
  const [cpuMs, before] = [process.cpuMs, servers.requests];
  while (servers.requests - before < TARGETS * count) await setTimeout(100);
  const reading = { [CPU]: (process.cpuMs - cpuMs) / (servers.requests - before) };
  return { ...reading, [PEAK]: process.memory.peak, [BLOCK]: await longestBlock(daemon) };
};

const blackboxProbes = async (servers: Servers, count: number): Promise<Reading> => {
  using folder = temporaryFolder();
  const config = join(folder.path, 'blackbox.yml');
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
