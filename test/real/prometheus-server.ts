// A Prometheus of a test's own: it scrapes its targets every second, or has the blocks of a folder.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
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

/** As Prometheus tells of it. */
export interface HeldAlert {
  /** With `alertname` and `severity`. */
  readonly labels: Readonly<Record<string, string>>;
  readonly state: 'pending' | 'firing';
  readonly activeAt: string;
}

/** A rule as it was last evaluated. */
export interface HeldRule {
  readonly name: string;
  readonly health: 'ok' | 'err' | 'unknown';
  readonly lastError?: string;
}

export interface Prometheus extends AsyncDisposable {
  rules(): Promise<readonly HeldRule[]>;
  alerts(): Promise<readonly HeldAlert[]>;
  /** Answers an instant query for a vector. */
  query(expression: string): Promise<HeldSample[]>;
  /** Answers one for a range of samples. */
  series(expression: string): Promise<HeldSeries[]>;
  /** Answers a query of every second between two times, in seconds. */
  range(expression: string, start: number, end: number): Promise<HeldSeries[]>;
}

export interface Source {
  readonly targets?: readonly string[];
  /** A folder of blocks to begin with. */
  readonly blocks?: string;
  /** A file of rules, evaluated every second. */
  readonly rules?: string;
}

export const startPrometheus = async ({ targets = [], blocks, rules }: Source): Promise<Prometheus> => {
  const folder = await mkdtemp(join(tmpdir(), 'proxywatch-prometheus-'));
  await writeFile(join(folder, 'prometheus.yml'), configOf(targets, rules));
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
    rules: async () =>
      (await ask<{ groups: { rules: HeldRule[] }[] }>(address, 'rules', {})).groups.flatMap(
        ({ rules }) => rules,
      ),
    alerts: async () => (await ask<{ alerts: HeldAlert[] }>(address, 'alerts', {})).alerts,
    query: async (expression) =>
      (await ask<Result<Vector>>(address, 'query', { query: expression })).result.map(
        ({ metric, value: [, value] }) => ({
          labels: metric,
          value: Number(value),
        }),
      ),
    series: async (expression) =>
      (await ask<Result<Matrix>>(address, 'query', { query: expression })).result.map(heldSeries),
    range: async (query, start, end) => {
      const parameters = { query, start: `${start}`, end: `${end}`, step: '1' };
      return (await ask<Result<Matrix>>(address, 'query_range', parameters)).result.map(heldSeries);
    },
    [Symbol.asyncDispose]: async () => {
      child.kill();
      await ended;
      await rm(folder, { recursive: true });
    },
  };
};

/** JSON is YAML. */
const configOf = (targets: readonly string[], rules: string | undefined): string =>
  JSON.stringify({
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: rules === undefined ? [] : [resolve(rules)],
    scrape_configs: [{ job_name: 'proxywatch', static_configs: [{ targets }] }],
  });

export const freePort = async (): Promise<number> => {
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

interface Result<T> {
  readonly result: readonly T[];
}

const heldSeries = ({ metric, values }: Matrix): HeldSeries => ({
  labels: metric,
  points: values.map(([at, value]) => [at, Number(value)]),
});

const ask = async <T>(
  address: string,
  endpoint: 'query' | 'query_range' | 'alerts' | 'rules',
  parameters: Readonly<Record<string, string>>,
): Promise<T> => {
  const response = await fetch(`http://${address}/api/v1/${endpoint}?${new URLSearchParams(parameters)}`);
  const answer = await response.text();
  if (!response.ok) throw new Error(`${parameters.query ?? endpoint}: ${answer}`);
  return (JSON.parse(answer) as { data: T }).data;
};
