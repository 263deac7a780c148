// Every query of the dashboards, asked of a real Prometheus that scrapes the demo: each shows something.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ALERTS } from '../../src/alerts/table.ts';
import { SECOND } from '../../src/lib/time.ts';
import { Program, until } from '../cli/program.ts';
import {
  type Dashboard,
  interpolate,
  ownValues,
  panelsOf,
  type Query,
  queriesOf,
  readDashboards,
  type Values,
  type Variable,
} from '../grafana/dashboard-files.ts';
import { TO_COME } from '../grafana/to-come.ts';
import { freePort, type Prometheus, startPrometheus } from './prometheus-server.ts';
import { describeWith } from './with-programs.ts';

const RULES = 'prometheus/rules/proxywatch.yml';
/** What a demo that is well has nothing to show of, and why. */
const MAY_BE_EMPTY: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/proxywatch_collector_error\{.*== 1/, 'no collector of the demo fails'],
  [/proxywatch_store_maintenance_(last_success|duration)/, 'maintenance comes ten minutes after the start'],
];

let prometheus: Prometheus;
let demo: Program;
let startedAt = 0;

const first = async (expression: string): Promise<number> =>
  (await prometheus.query(expression))[0]?.value ?? 0;

/** Prometheus is there first: what the demo does as it starts is growth to it. */
const start = async (): Promise<void> => {
  const target = `127.0.0.1:${await freePort()}`;
  prometheus = await startPrometheus({ target, rules: RULES });
  demo = Program.start(['demo', '--listen', target]);
  await demo.url();
  startedAt = Date.now();
  const HAS_HAPPENED = [
    'sum(increase(proxywatch_proxy_test_response_time_seconds_count[1m]))',
    'sum(increase(proxywatch_api_requests_total[1m]))',
    'count(proxywatch_reconcile_difference_bytes offset 2s)',
    'count(ALERTS{alertstate="firing"} offset 2s)',
  ];
  for (const expression of HAS_HAPPENED) await until(async () => (await first(expression)) > 0);
};

/** As Grafana has it when All is picked, or what a variable begins with. */
const pickedOf = async ({
  name,
  allValue,
  query,
  current,
}: Variable): Promise<[name: string, value: string]> => {
  if (allValue !== undefined) return [name, allValue];
  if (typeof query === 'string') return [name, String(current?.value)];
  const options = await optionsOf(query.query, {});
  return [name, `(${options.join('|')})`];
};

const optionsOf = async (definition: string, values: Values): Promise<string[]> => {
  const [, series = '', label = ''] = /^label_values\((.*), (\w+)\)$/.exec(definition) ?? [];
  const found = await prometheus.query(interpolate(series, values));
  return [...new Set(found.map(({ labels }) => labels[label] ?? ''))].filter((value) => value !== '');
};

const hasData = async ({ expr, isInstant, interval }: Query, values: Values): Promise<boolean> => {
  const now = Date.now() / SECOND;
  const start = Math.floor(startedAt / SECOND);
  const text = interpolate(expr, { ...values, ...ownValues(Math.ceil(now - start), interval) });
  const found = isInstant
    ? (await prometheus.query(text)).map(({ value }) => value)
    : (await prometheus.range(text, start, Math.floor(now))).flatMap(({ points }) =>
        points.map(([, value]) => value),
      );
  return found.some(Number.isFinite);
};

/** By its nature, or as it asks for what isn't there yet. */
const isExcused = (expression: string): boolean =>
  isToCome(expression) || MAY_BE_EMPTY.some(([pattern]) => pattern.test(expression));

const isToCome = (expression: string): boolean => {
  const [, threshold] = /proxywatch_alert_threshold\{alert="(\w+)"/.exec(expression) ?? [];
  if (threshold !== undefined) return !ALERTS.some(({ name }) => name === threshold);
  return TO_COME.some((family) => expression.includes(family)) && !expression.includes('ALERTS{');
};

describeWith(['prometheus'], 'dashboards', () => {
  beforeAll(start);
  afterAll(async () => {
    await prometheus?.[Symbol.asyncDispose]();
    await demo?.[Symbol.asyncDispose]();
  });

  describe.each(readDashboards())('$uid', (dashboard: Dashboard) => {
    const variables = dashboard.templating.list.filter(({ type }) => type !== 'datasource');

    test('offers values for each of its variables', async () => {
      const values = Object.fromEntries(await Promise.all(variables.map(pickedOf)));
      for (const { name, query } of variables) {
        if (typeof query === 'string') continue;
        expect([name, (await optionsOf(query.query, values)).length > 0]).toEqual([name, true]);
      }
    });

    test('shows something in every panel, but where there is a reason', async () => {
      const values = Object.fromEntries(await Promise.all(variables.map(pickedOf)));
      const empty: string[] = [];
      const excused: string[] = [];
      for (const query of queriesOf(dashboard)) {
        const text = `${query.of}: ${query.expr}`;
        if (!(await hasData(query, values))) empty.push(text);
        if (isExcused(query.expr)) excused.push(text);
      }
      expect(empty).toEqual(excused);
    });

    test('has tables whose columns meet in one row, without labels of the scrape', async () => {
      const values = Object.fromEntries(await Promise.all(variables.map(pickedOf)));
      for (const { title, targets = [], transformations = [] } of panelsOf(dashboard)) {
        const named = transformations.find(({ id }) => id === 'organize')?.options.renameByName;
        if (named === undefined || transformations.some(({ id }) => id === 'groupingToMatrix')) continue;
        for (const { expr } of targets) {
          const rows = await prometheus.query(interpolate(expr, { ...values, ...ownValues(60) }));
          const strange = rows
            .flatMap(({ labels }) => Object.keys(labels))
            .filter((label) => !(label in named));
          expect([title, expr, new Set(strange)]).toEqual([title, expr, new Set()]);
        }
      }
    });
  });
});
