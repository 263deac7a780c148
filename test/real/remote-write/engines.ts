// Starts real engines that take remote write: Prometheus and VictoriaMetrics.

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { SECOND } from '../../../src/lib/time.ts';
import { freeAddress } from '../../support/free-port.ts';
import type { QuerySample } from '../prometheus-server.ts';
import { ServerProcess } from '../server-process.ts';

export interface Engine extends AsyncDisposable {
  /** Address of the engine, without a path. */
  readonly url: string;
  /** Returns the value of an instant query for each value of the label `i`. */
  query(expression: string, at: number): Promise<ReadonlyMap<string, number>>;
  /** Runs an instant query. */
  vector(expression: string, at: number): Promise<readonly QuerySample[]>;
  /** Runs a range query. Returns the points of each series: times (ms) and values. */
  range(expression: string, from: number, to: number, stepMs: number): Promise<readonly Points[]>;
  /** Returns the stored samples of all series of a name in the days before `at`. */
  stored(name: string, at: number, days: number): Promise<readonly StoredSeries[]>;
  /** The names of all series. */
  names(): Promise<readonly string[]>;
  /** Stops the engine and starts it again, without its data if `isEmpty`. */
  restart(isEmpty?: boolean): Promise<void>;
}

export interface StoredSeries {
  readonly labels: Readonly<Record<string, string>>;
  readonly points: Points;
}

export type Points = readonly (readonly [at: number, value: number])[];

/**
 * `window` is how old samples may be, such as `8d`. Without it, samples must arrive in order. `program` is a path if it is not the
 * installed one.
 */
export const startPrometheus = (
  window?: string,
  args: readonly string[] = [REMOTE_WRITE],
  program = 'prometheus',
): Promise<Engine> =>
  start(program, '/-/ready', async (folder, address) => {
    const tsdb = window === undefined ? {} : { out_of_order_time_window: window };
    const config = join(folder, 'prometheus.yml');
    await writeFile(config, JSON.stringify({ storage: { tsdb } }));
    const data = `--storage.tsdb.path=${join(folder, 'data')}`;
    return [`--config.file=${config}`, data, `--web.listen-address=${address}`, ...args];
  });

const REMOTE_WRITE = '--web.enable-remote-write-receiver';

export const startVictoriaMetrics = (program = 'victoria-metrics'): Promise<Engine> =>
  start(program, '/health', async (folder, address) => [
    ...['-storageDataPath', join(folder, 'data'), '-httpListenAddr', address, '-retentionPeriod', '10y'],
    // Without it, a sample that is sent twice is stored twice.
    '-dedup.minScrapeInterval=1ms',
  ]);

const start = async (
  program: string,
  health: string,
  argsOf: (folder: string, address: string) => Promise<readonly string[]>,
): Promise<Engine> => {
  const folder = await mkdtemp(join(tmpdir(), 'proxywatch-engine-'));
  const address = await freeAddress();
  const url = `http://${address}`;
  const run = async (): Promise<ServerProcess> =>
    ServerProcess.start(program, await argsOf(folder, address), url + health);
  let server = await run();
  return {
    url,
    vector: (expression, at) => query(url, expression, at),
    range: (expression, from, to, stepMs) => range(url, expression, { from, to, stepMs }),
    stored: (name, at, days) => stored(url, name, at, days),
    query: async (expression, at) =>
      new Map((await query(url, expression, at)).map(({ labels, value }) => [labels.i ?? '', value])),
    names: async () => (await requestJson<{ data: readonly string[] }>(`${url}${NAMES}`)).data,
    restart: async (isEmpty = false) => {
      await server.end();
      if (isEmpty) {
        await rm(folder, { recursive: true });
        await mkdir(folder);
      }
      server = await run();
    },
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
};

/** Without a start, VictoriaMetrics returns the names of today's series only. */
const NAMES = '/api/v1/label/__name__/values?start=2020-01-01T00:00:00Z';

interface Vector {
  readonly data: {
    readonly result: readonly {
      readonly metric: Readonly<Record<string, string>>;
      readonly value: readonly [number, string];
    }[];
  };
}

const query = async (url: string, expression: string, at: number): Promise<readonly QuerySample[]> => {
  const { data } = await instant<Vector>(url, expression, at);
  return data.result.map(({ metric, value }) => ({ labels: metric, value: Number(value[1]) }));
};

const instant = async <T>(url: string, expression: string, at: number): Promise<T> => {
  // VictoriaMetrics shows new samples after a second otherwise. Prometheus does not know this address.
  await fetch(`${url}/internal/force_flush`);
  // VictoriaMetrics rounds the time of a query that may be cached.
  const parameters = new URLSearchParams({ query: expression, time: `${at / 1_000}`, nocache: '1' });
  return requestJson<T>(`${url}/api/v1/query?${parameters}`);
};

interface Matrix {
  readonly data: {
    readonly result: readonly {
      readonly metric: Readonly<Record<string, string>>;
      readonly values: readonly (readonly [number, string])[];
    }[];
  };
}

const stored = async (
  url: string,
  name: string,
  at: number,
  days: number,
): Promise<readonly StoredSeries[]> => {
  const { data } = await instant<Matrix>(url, `${name}[${days}d]`, at);
  return data.result.map(({ metric, values }) => ({ labels: metric, points: pointsOf(values) }));
};

const range = async (
  url: string,
  expression: string,
  { from, to, stepMs }: { readonly from: number; readonly to: number; readonly stepMs: number },
): Promise<readonly Points[]> => {
  const seconds = { start: `${from / 1_000}`, end: `${to / 1_000}`, step: `${stepMs / 1_000}` };
  const parameters = new URLSearchParams({ query: expression, ...seconds, nocache: '1' });
  const { data } = await requestJson<Matrix>(`${url}/api/v1/query_range?${parameters}`);
  return data.result.map(({ values }) => pointsOf(values));
};

const pointsOf = (values: readonly (readonly [number, string])[]): Points =>
  values.map(([at, value]) => [Math.round(at * 1_000), Number(value)] as const);

/** Prometheus 2.42 and 2.53 answer it with status 422 to a query whose chunks a compaction moves at this moment. */
const MOVING = 'cannot populate chunk';

/** Asks again while the chunks of the query are moved. */
const requestJson = <T>(url: string): Promise<T> =>
  vi.waitUntil(async () => {
    const response = await fetch(url);
    const answer = await response.text();
    if (response.ok) return JSON.parse(answer) as T & object;
    if (answer.includes(MOVING)) return undefined;
    throw new Error(`${url}: ${answer}`);
  }, 30 * SECOND);
