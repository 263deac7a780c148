// Queries Prometheus for a dashboard as Grafana does: for the values of variables, and with these values filled in.

import { SECOND } from '../../src/lib/time.ts';
import {
  builtInVariables,
  type Dashboard,
  interpolate,
  type Query,
  type Values,
  type Variable,
} from '../grafana/dashboard-files.ts';
import type { PrometheusApi, QuerySeries } from './prometheus-server.ts';

/** Returns the values that a variable offers, or undefined if it does not query Prometheus. */
export const optionsOf = async (
  prometheus: PrometheusApi,
  { query }: Variable,
  values: Values,
): Promise<string[] | undefined> => {
  if (typeof query === 'string') return undefined;
  const [, series = '', label = ''] = /^label_values\((.*), (\w+)\)$/.exec(query.query) ?? [];
  const found = await prometheus.query(interpolate(series, values));
  return [...new Set(found.map(({ labels }) => labels[label] ?? ''))].filter((value) => value !== '');
};

/** Returns each variable with All selected, or with one value, or with its initial value. */
export const selectAll = async (prometheus: PrometheusApi, { templating }: Dashboard): Promise<Values> => {
  const values: Record<string, string> = {};
  for (const variable of templating.list)
    values[variable.name] = await selected(prometheus, variable, values);
  return values;
};

const selected = async (prometheus: PrometheusApi, variable: Variable, values: Values): Promise<string> => {
  const { name, allValue, includeAll, current, query, type } = variable;
  if (allValue !== undefined) return allValue;
  const options = await optionsOf(prometheus, variable, values);
  if (options === undefined) return String(type === 'constant' ? query : current?.value);
  if (includeAll) return `(${options.join('|')})`;
  // One value: something that an alert is about has more to show than others.
  const alerts = await prometheus.query(`ALERTS{alertstate="firing", ${name}!=""}`);
  const troubled = alerts.map(({ labels }) => labels[name] ?? '').find((value) => options.includes(value));
  return troubled ?? options[0] ?? '';
};

/** More than there are series. */
export const MANY = '1000';

/** Returns a query for all series, because of two with the same value, each engine can leave out another one. */
export const withoutLimit = (query: Query): Query => ({
  ...query,
  expr: query.expr.replaceAll(/topk\(\d+/g, `topk(${MANY}`),
});

/** Returns what a panel receives: the current values, or those of every second since the start (ms). */
export const runQuery = async (
  prometheus: PrometheusApi,
  { expr, isInstant, interval }: Query,
  values: Values,
  startedAt: number,
): Promise<readonly QuerySeries[]> => {
  const start = Math.floor(startedAt / SECOND);
  const now = Math.floor(Date.now() / SECOND);
  const text = interpolate(expr, { ...values, ...builtInVariables(now - start + 1, interval) });
  if (!isInstant) return prometheus.range(text, start, now);
  return (await prometheus.query(text)).map(({ labels, value }) => ({ labels, points: [[now, value]] }));
};
