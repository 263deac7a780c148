// Every query of the dashboards, asked of a real Prometheus that scrapes the demo: each shows something.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ALERTS } from '../../src/alerts/table.ts';
import { Program, until } from '../cli/program.ts';
import { panelsOf, type Query, queriesOf, readDashboards, type Values } from '../grafana/dashboard-files.ts';
import { TO_COME } from '../grafana/to-come.ts';
import { ask, optionsOf, pickAll } from './ask-as-grafana.ts';
import { freePort, type HeldSeries, type Prometheus, startPrometheus } from './prometheus-server.ts';
import { describeWith } from './with-programs.ts';

const RULES = 'prometheus/rules/proxywatch.yml';
/** What a demo that is well has nothing to show of, and why. */
const MAY_BE_EMPTY: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/proxywatch_collector_error\{.*== 1/, 'no collector of the demo fails'],
  [/proxywatch_store_maintenance_(last_success|duration)/, 'maintenance comes ten minutes after the start'],
];
/** What the dashboards ask for must have happened before they are asked; the last two for as long as a range's step. */
const HAS_HAPPENED = [
  'sum(increase(proxywatch_proxy_test_response_time_seconds_count[1m]))',
  'sum(increase(proxywatch_api_requests_total[1m]))',
  'count(proxywatch_reconcile_difference_bytes offset 2s)',
  'count(ALERTS{alertstate="firing"} offset 2s)',
];
/** Fewer than the demo has users and proxies. */
const ROWS = 10;

let prometheus: Prometheus;
let demo: Program;
let startedAt = 0;

/** Prometheus is there first: what the demo does as it starts is growth to it. */
const start = async (): Promise<void> => {
  const target = `127.0.0.1:${await freePort()}`;
  prometheus = await startPrometheus({ targets: [target], rules: RULES });
  demo = Program.start(['demo', '--listen', target]);
  await demo.url();
  startedAt = Date.now();
  for (const expression of HAS_HAPPENED)
    await until(async () => ((await prometheus.query(expression))[0]?.value ?? 0) > 0);
};

const isData = ({ points }: HeldSeries): boolean => points.some(([, value]) => Number.isFinite(value));

/** By its nature, or as it asks for what isn't there yet. */
const isExcused = ({ expr }: Query): boolean => {
  const [, threshold] = /proxywatch_alert_threshold\{alert="(\w+)"/.exec(expr) ?? [];
  if (threshold !== undefined) return !ALERTS.some(({ name }) => name === threshold);
  const isToCome = TO_COME.some((family) => expr.includes(family)) && !expr.includes('ALERTS{');
  return isToCome || MAY_BE_EMPTY.some(([pattern]) => pattern.test(expr));
};

describeWith(['prometheus'], 'dashboards', () => {
  beforeAll(start);
  afterAll(async () => {
    await prometheus?.[Symbol.asyncDispose]();
    await demo?.[Symbol.asyncDispose]();
  });

  describe.each(readDashboards())('$uid', (dashboard) => {
    const queries = queriesOf(dashboard);
    let values: Values;
    beforeAll(async () => {
      values = { ...(await pickAll(prometheus, dashboard)), limit: `${ROWS}` };
    });

    test('offers values for each of its variables', async () => {
      for (const variable of dashboard.templating.list)
        expect([variable.name, await optionsOf(prometheus, variable, values)]).not.toEqual([
          variable.name,
          [],
        ]);
    });

    test('shows something in every panel, but where there is a reason', async () => {
      const empty: Query[] = [];
      for (const query of queries)
        if (!(await ask(prometheus, query, values, startedAt)).some(isData)) empty.push(query);
      expect(empty).toEqual(queries.filter(isExcused));
    });

    test('shows no more users and proxies than are asked for', async () => {
      for (const query of queries.filter(({ expr }) => !expr.startsWith('topk(100,'))) {
        const found = await ask(prometheus, query, values, startedAt);
        const valuesOf = (label: string) => new Set(found.map(({ labels }) => labels[label] ?? ''));
        const most = Math.max(valuesOf('proxy_user_id').size, valuesOf('proxy_id').size);
        if (most > ROWS) expect.fail(`${query.of} shows ${most}: ${query.expr}`);
      }
    });

    test('has tables whose columns meet in one row, without labels of the scrape', async () => {
      for (const { title, targets = [], transformations = [] } of panelsOf(dashboard)) {
        const named = transformations.find(({ id }) => id === 'organize')?.options.renameByName;
        if (named === undefined || transformations.some(({ id }) => id === 'groupingToMatrix')) continue;
        for (const { refId, expr } of targets) {
          const query = { of: title, expr, isInstant: true };
          const labels = (await ask(prometheus, query, values, startedAt)).flatMap((row) =>
            Object.keys(row.labels),
          );
          const strange = labels.filter((label) => !(label in named));
          expect([title, refId, new Set(strange)]).toEqual([title, refId, new Set()]);
        }
      }
    });
  });
});
