// A Prometheus of a test's own that scrapes one target every second.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../cli/program.ts';

export interface HeldSample {
  /** With the name as `__name__`. */
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Prometheus extends AsyncDisposable {
  /** Answers an instant query. */
  query(expression: string): Promise<HeldSample[]>;
}

export const startPrometheus = async (target: string): Promise<Prometheus> => {
  const folder = await mkdtemp(join(tmpdir(), 'proxywatch-prometheus-'));
  await writeFile(join(folder, 'prometheus.yml'), configOf(target));
  const address = `127.0.0.1:${await freePort()}`;
  const args = [
    `--config.file=${join(folder, 'prometheus.yml')}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    `--web.listen-address=${address}`,
  ];
  const child = spawn('prometheus', args, { stdio: 'ignore' });
  const ended = once(child, 'close');
  await until(() => isReady(address));
  return {
    query: (expression) => query(address, expression),
    [Symbol.asyncDispose]: async () => {
      child.kill();
      await ended;
      await rm(folder, { recursive: true });
    },
  };
};

/** JSON is YAML. */
const configOf = (target: string): string =>
  JSON.stringify({
    global: { scrape_interval: '1s' },
    scrape_configs: [{ job_name: 'proxywatch', static_configs: [{ targets: [target] }] }],
  });

const freePort = async (): Promise<number> => {
  await using server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
};

const isReady = async (address: string): Promise<boolean> => {
  try {
    return (await fetch(`http://${address}/-/ready`)).ok;
  } catch {
    return false;
  }
};

interface QueryAnswer {
  readonly data: {
    readonly result: readonly {
      readonly metric: Record<string, string>;
      readonly value: readonly [number, string];
    }[];
  };
}

const query = async (address: string, expression: string): Promise<HeldSample[]> => {
  const parameters = new URLSearchParams({ query: expression });
  const response = await fetch(`http://${address}/api/v1/query?${parameters}`);
  const { data } = (await response.json()) as QueryAnswer;
  return data.result.map(({ metric, value: [, value] }) => ({ labels: metric, value: Number(value) }));
};
