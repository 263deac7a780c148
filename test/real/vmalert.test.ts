// Tests that vmalert and VictoriaMetrics take the rules and the queries for Prometheus, as the how-to starts them.

import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rulesOf } from '../../src/alerts/rules.ts';
import { ALERTS } from '../../src/alerts/table.ts';
import { createFolder } from '../config/support.ts';
import { type Query, queriesOf, readDashboards, type Values } from '../grafana/dashboard-files.ts';
import { engines } from './engines.ts';
import { MANY, runQuery, selectAll, withoutLimit } from './grafana-queries.ts';
import { type Prometheus, type PrometheusApi, startPrometheus } from './prometheus-server.ts';
import { serveTrouble } from './trouble.ts';
import { keyOf, startPrograms, startReceiver, TOOL, TOOL_NAME } from './victoria-programs.ts';
import { describeWith } from './with-programs.ts';

const PATIENCE = { timeout: 60_000, interval: 500 };

describeWith([TOOL], TOOL_NAME, () => {
  test.each(readdirSync('prometheus/tests'))('%s passes', async (name) => {
    const path = join(createFolder({}), 'tests.yml');
    const tests = readFileSync(join('prometheus/tests', name), 'utf8')
      .replaceAll('promql_expr_test:', 'metricsql_expr_test:')
      .replaceAll('../', `${resolve('prometheus')}/`);
    writeFileSync(path, tests);
    const { stdout } = await promisify(execFile)(TOOL, [
      'unittest',
      '--disableAlertgroupLabel',
      '--files',
      path,
    ]);
    expect(stdout).toContain('SUCCESS');
  });
});

describe.each(engines('victoria-metrics'))('$name', ({ name, path }) => {
  /** VictoriaMetrics 1.79 gives a label that `label_replace` does not set the value of another label. */
  const isOld = name.endsWith('installed');

  describeWith([path, TOOL, 'prometheus'], 'vmagent and vmalert', () => {
    const stack = new AsyncDisposableStack();
    const startedAt = Date.now();
    let received: ReadonlySet<string>;
    let prometheus: Prometheus;
    let metrics: PrometheusApi;
    let alerting: PrometheusApi;
    beforeAll(async () => {
      const folder = stack.use(await mkdtempDisposable(join(tmpdir(), 'proxywatch-vmalert-'))).path;
      const rules = join(folder, 'proxywatch.yml');
      writeFileSync(rules, rulesOf(ALERTS, { holdScale: 0 }));
      const target = stack.use(await serveTrouble()).address;
      const receiver = stack.use(await startReceiver());
      received = receiver.received;
      ({ metrics, alerting } = stack.use(await startPrograms(folder, target, receiver.address, path)));
      prometheus = stack.use(await startPrometheus({ targets: [target], rules }));
    });
    afterAll(() => stack.disposeAsync());

    const firing = async (engine: PrometheusApi): Promise<string[]> => {
      const alerts = await engine.alerts().catch(() => []);
      return alerts
        .filter(({ state }) => state === 'firing')
        .map(({ labels }) => keyOf(labels))
        .toSorted();
    };

    test('fire the same alerts as Prometheus, and send them with the same labels', async () => {
      let expected: string[] = [];
      // Each engine evaluates its groups at times of its own, so both are asked again.
      const differing = async (): Promise<readonly string[]> => {
        const own = await firing(alerting);
        expected = await firing(prometheus);
        if (expected.length <= 5) return ['too few alerts fire'];
        return [
          ...own.filter((alert) => !expected.includes(alert)),
          ...expected.filter((alert) => !own.includes(alert)),
        ];
      };
      await expect.poll(differing, PATIENCE).toEqual([]);
      // At the start, before the first scrape, also ProxywatchDown.
      await expect.poll(() => [...received], PATIENCE).toEqual(expect.arrayContaining(expected));
      const rules = await alerting.rules();
      expect(rules).toHaveLength(ALERTS.length);
      expect(rules.filter(({ health }) => health !== 'ok')).toEqual([]);
    });

    test('answer each query of the dashboards with the same series as Prometheus', async () => {
      const seriesOf = async (engine: PrometheusApi, query: Query, values: Values) =>
        (await runQuery(engine, withoutLimit(query), values, startedAt))
          // VictoriaMetrics leaves out series without a number, such as quantiles of nothing.
          .filter(({ points }) => points.some(([, value]) => Number.isFinite(value)))
          .map(({ labels: { runbook, ...labels } }) =>
            keyOf(isOld ? labels : { ...labels, ...(runbook && { runbook }) }),
          )
          .toSorted();
      const differing = async (): Promise<string[]> => {
        const found: string[] = [];
        for (const dashboard of readDashboards()) {
          const values = { ...(await selectAll(prometheus, dashboard)), limit: MANY };
          for (const query of queriesOf(dashboard)) {
            const [own, others] = [
              await seriesOf(metrics, query, values),
              await seriesOf(prometheus, query, values),
            ];
            if (JSON.stringify(own) !== JSON.stringify(others)) found.push(query.location);
          }
        }
        return found;
      };
      await expect.poll(differing, PATIENCE).toEqual([]);
    });
  });
});
