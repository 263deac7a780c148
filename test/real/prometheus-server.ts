// Starts a Prometheus for a test, which scrapes targets every second or serves the blocks of a folder.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freeAddress } from '../support/free-port.ts';
import { ServerProcess } from './server-process.ts';

export interface QuerySample {
  /** Includes the name as `__name__`. */
  readonly labels: Readonly<Record<string, string>>;
  /** NaN for a native histogram. */
  readonly value: number;
}

export interface QuerySeries {
  readonly labels: Readonly<Record<string, string>>;
  /** Pairs of time (s) and value. */
  readonly points: readonly (readonly [number, number])[];
}

/** An alert as Prometheus returns it. */
export interface PrometheusAlert {
  /** Includes `alertname` and `severity`. */
  readonly labels: Readonly<Record<string, string>>;
  readonly state: 'pending' | 'firing';
  readonly activeAt: string;
}

/** A rule with the result of its last evaluation. */
export interface PrometheusRule {
  readonly name: string;
  readonly health: 'ok' | 'err' | 'unknown';
  readonly lastError?: string;
}

export interface Prometheus extends PrometheusApi, AsyncDisposable {}

/** What queries of Prometheus's HTTP API return. VictoriaMetrics has the same API. */
export interface PrometheusApi {
  rules(): Promise<readonly PrometheusRule[]>;
  alerts(): Promise<readonly PrometheusAlert[]>;
  /** Runs an instant query that returns a vector. */
  query(expression: string): Promise<QuerySample[]>;
  /** Runs an instant query that returns a range of samples. */
  series(expression: string): Promise<QuerySeries[]>;
  /** Runs a range query with a step of one second between two times (s). */
  range(expression: string, start: number, end: number): Promise<QuerySeries[]>;
}

export interface PrometheusOptions {
  readonly targets?: readonly string[];
  /** Labels that Prometheus adds to the series of all targets. */
  readonly labels?: Readonly<Record<string, string>>;
  /** A folder of TSDB blocks to start with. */
  readonly blocks?: string;
  /** A file of rules, which are evaluated every second. */
  readonly rules?: string;
  /** More settings of the scrapes, such as tls_config. */
  readonly scrape?: object;
  /** The program, if it is not the one on the PATH. */
  readonly program?: string;
  /** What `--enable-feature` turns on. Versions that do not know a feature ignore it. */
  readonly feature?: string;
}

export const startPrometheus = async ({
  targets = [],
  labels = {},
  blocks,
  rules,
  scrape = {},
  program = 'prometheus',
  feature = '',
}: PrometheusOptions): Promise<Prometheus> => {
  const folder = await mkdtemp(join(tmpdir(), 'proxywatch-prometheus-'));
  await writeFile(join(folder, 'prometheus.yml'), configOf([{ targets, labels }], rules, scrape));
  const address = await freeAddress();
  const args = [
    `--config.file=${join(folder, 'prometheus.yml')}`,
    `--storage.tsdb.path=${blocks ?? join(folder, 'data')}`,
    '--storage.tsdb.retention.time=10y',
    `--web.listen-address=${address}`,
    `--enable-feature=${feature}`,
  ];
  const server = await ServerProcess.start(program, args, `http://${address}/-/ready`);
  return {
    ...apiAt(address),
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
};

/** Returns the HTTP API of an engine. */
export const apiAt = (address: string): PrometheusApi => ({
  rules: async () =>
    (await requestApi<{ groups: { rules: PrometheusRule[] }[] }>(address, 'rules', {})).groups.flatMap(
      ({ rules }) => rules,
    ),
  alerts: async () => (await requestApi<{ alerts: PrometheusAlert[] }>(address, 'alerts', {})).alerts,
  query: async (expression) =>
    (await requestApi<Result<Vector>>(address, 'query', { query: expression })).result.map(
      ({ metric, value: [, value] = [0, 'NaN'] }) => ({
        labels: metric,
        value: Number(value),
      }),
    ),
  series: async (expression) =>
    (await requestApi<Result<Matrix>>(address, 'query', { query: expression })).result.map(seriesOf),
  range: async (query, start, end) => {
    const parameters = { query, start: `${start}`, end: `${end}`, step: '1' };
    return (await requestApi<Result<Matrix>>(address, 'query_range', parameters)).result.map(seriesOf);
  },
});

/** Returns the configuration as JSON, which is valid YAML. */
const configOf = (static_configs: readonly object[], rules: string | undefined, scrape: object): string =>
  JSON.stringify({
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: rules === undefined ? [] : [resolve(rules)],
    scrape_configs: [{ job_name: 'proxywatch', static_configs, ...scrape }],
  });

type Point = readonly [number, string];
type Vector = { readonly metric: Record<string, string>; readonly value?: Point };
type Matrix = { readonly metric: Record<string, string>; readonly values: readonly Point[] };

interface Result<T> {
  readonly result: readonly T[];
}

const seriesOf = ({ metric, values }: Matrix): QuerySeries => ({
  labels: metric,
  points: values.map(([at, value]) => [at, Number(value)]),
});

const requestApi = async <T>(
  address: string,
  endpoint: 'query' | 'query_range' | 'alerts' | 'rules',
  parameters: Readonly<Record<string, string>>,
): Promise<T> => {
  const response = await fetch(`http://${address}/api/v1/${endpoint}?${new URLSearchParams(parameters)}`);
  const answer = await response.text();
  if (!response.ok) throw new Error(`${parameters.query ?? endpoint}: ${answer}`);
  return (JSON.parse(answer) as { data: T }).data;
};
