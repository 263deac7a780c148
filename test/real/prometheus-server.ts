// A Prometheus of a test's own: it scrapes one target every second, or has the blocks of a folder.

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

export interface HeldSeries {
  readonly labels: Readonly<Record<string, string>>;
  /** Seconds and values. */
  readonly points: readonly (readonly [number, number])[];
}

export interface Prometheus extends AsyncDisposable {
  /** Answers an instant query for a vector. */
  query(expression: string): Promise<HeldSample[]>;
  /** Answers one for a range of samples. */
  series(expression: string): Promise<HeldSeries[]>;
}

export interface Source {
  readonly target?: string;
  /** A folder of blocks to begin with. */
  readonly blocks?: string;
}

export const startPrometheus = async ({ target, blocks }: Source): Promise<Prometheus> => {
  const folder = await mkdtemp(join(tmpdir(), 'proxywatch-prometheus-'));
  await writeFile(join(folder, 'prometheus.yml'), configOf(target));
  const address = `127.0.0.1:${await freePort()}`;
  const args = [
    `--config.file=${join(folder, 'prometheus.yml')}`,
    `--storage.tsdb.path=${blocks ?? join(folder, 'data')}`,
    '--storage.tsdb.retention.time=10y',
    `--web.listen-address=${address}`,
  ];
  const child = spawn('prometheus', args, { stdio: 'ignore' });
  const ended = once(child, 'close');
  await until(() => isReady(address));
  return {
    query: async (expression) =>
      (await ask<Vector>(address, expression)).map(({ metric, value: [, value] }) => ({
        labels: metric,
        value: Number(value),
      })),
    series: async (expression) =>
      (await ask<Matrix>(address, expression)).map(({ metric, values }) => ({
        labels: metric,
        points: values.map(([at, value]) => [at, Number(value)]),
      })),
    [Symbol.asyncDispose]: async () => {
      child.kill();
      await ended;
      await rm(folder, { recursive: true });
    },
  };
};

/** JSON is YAML. */
const configOf = (target: string | undefined): string =>
  JSON.stringify({
    global: { scrape_interval: '1s' },
    scrape_configs:
      target === undefined ? [] : [{ job_name: 'proxywatch', static_configs: [{ targets: [target] }] }],
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

type Point = readonly [number, string];
type Vector = { readonly metric: Record<string, string>; readonly value: Point };
type Matrix = { readonly metric: Record<string, string>; readonly values: readonly Point[] };

const ask = async <T>(address: string, expression: string): Promise<readonly T[]> => {
  const parameters = new URLSearchParams({ query: expression });
  const response = await fetch(`http://${address}/api/v1/query?${parameters}`);
  const answer = await response.text();
  if (!response.ok) throw new Error(`${expression}: ${answer}`);
  return (JSON.parse(answer) as { data: { result: readonly T[] } }).data.result;
};
