// Asks a Prometheus what Grafana would ask it for a dashboard: values of its variables, and queries with them put in.

import { SECOND } from '../../src/lib/time.ts';
import {
  type Dashboard,
  interpolate,
  ownValues,
  type Query,
  type Values,
  type Variable,
} from '../grafana/dashboard-files.ts';
import type { HeldSeries, Prometheus } from './prometheus-server.ts';

/** Values that a variable offers; undefined where it asks Prometheus for none. */
export const optionsOf = async (
  prometheus: Prometheus,
  { query }: Variable,
  values: Values,
): Promise<string[] | undefined> => {
  if (typeof query === 'string') return undefined;
  const [, series = '', label = ''] = /^label_values\((.*), (\w+)\)$/.exec(query.query) ?? [];
  const found = await prometheus.query(interpolate(series, values));
  return [...new Set(found.map(({ labels }) => labels[label] ?? ''))].filter((value) => value !== '');
};

/** Each variable with All picked, or with what it begins with. */
export const pickAll = async (prometheus: Prometheus, { templating }: Dashboard): Promise<Values> => {
  const values: Record<string, string> = {};
  for (const variable of templating.list) {
    const { name, allValue, current } = variable;
    const options = allValue === undefined ? await optionsOf(prometheus, variable, values) : undefined;
    values[name] = allValue ?? (options ? `(${options.join('|')})` : String(current?.value));
  }
  return values;
};

/** What a panel gets: of now, or of every second since the start (ms). */
export const ask = async (
  prometheus: Prometheus,
  { expr, isInstant, interval }: Query,
  values: Values,
  startedAt: number,
): Promise<readonly HeldSeries[]> => {
  const start = Math.floor(startedAt / SECOND);
  const now = Math.floor(Date.now() / SECOND);
  const text = interpolate(expr, { ...values, ...ownValues(now - start + 1, interval) });
  if (!isInstant) return prometheus.range(text, start, now);
  return (await prometheus.query(text)).map(({ labels, value }) => ({ labels, points: [[now, value]] }));
};
