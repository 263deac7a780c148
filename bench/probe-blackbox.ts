// Starts prometheus-blackbox-exporter with its HTTP prober and a proxy, and asks it for probes as a scrape does.

import { type ChildProcess, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { answers, cpuMsOf, freePort } from './daemon-process.ts';
import { MEASURED_CORE, startPinned } from './pinned.ts';
import type { ServerPorts } from './probe-servers.ts';

export const BLACKBOX = 'prometheus-blackbox-exporter';
const CA_FILE = join(import.meta.dirname, '../test/fixtures/probe-certificates/target-ca.pem');

export interface Blackbox extends Disposable {
  readonly cpuMs: number;
  readonly probe: () => Promise<void>;
}

export const isBlackboxInstalled = (): boolean => spawnSync('which', [BLACKBOX]).status === 0;

export const startBlackbox = async (folder: string, ports: ServerPorts): Promise<Blackbox> => {
  const config = join(folder, 'blackbox.yml');
  const http = {
    proxy_url: `http://bench:password@127.0.0.1:${ports.proxy}`,
    tls_config: { ca_file: CA_FILE },
    preferred_ip_protocol: 'ip4',
  };
  writeFileSync(config, JSON.stringify({ modules: { probe: { prober: 'http', timeout: '10s', http } } }));
  const port = await freePort();
  const args = [`--config.file=${config}`, `--web.listen-address=127.0.0.1:${port}`, '--log.level=error'];
  // One core, as the others.
  const child = startPinned(MEASURED_CORE, [BLACKBOX, ...args], 'ignore', { GOMAXPROCS: '1' });
  await answers(`http://127.0.0.1:${port}/-/healthy`);
  return measured(
    child,
    `http://127.0.0.1:${port}/probe?module=probe&target=https://localhost:${ports.target}/`,
  );
};

const measured = (child: ChildProcess, url: string): Blackbox => {
  const agent = new Agent({ keepAlive: true });
  return {
    get cpuMs() {
      return cpuMsOf(child);
    },
    probe: async () => {
      if (!/^probe_success 1$/m.test(await read(url, agent))) throw new Error(`${BLACKBOX}: a probe failed`);
    },
    [Symbol.dispose]: () => {
      agent.destroy();
      child.kill('SIGKILL');
    },
  };
};

const read = (url: string, agent: Agent): Promise<string> =>
  new Promise((resolve, reject) => {
    get(url, { agent }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('end', () => resolve(text));
    }).on('error', reject);
  });
