// Tests that every query of the dashboards returns data from a real Prometheus that scrapes the demo.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ALERTS } from '../../src/alerts/table.ts';
import { Program, waitUntil } from '../cli/program.ts';
import {
  interpolate,
  panelsOf,
  type Query,
  queriesOf,
  readDashboards,
  type Values,
} from '../grafana/dashboard-files.ts';
import { legendSpace, legendWidth } from '../grafana/layout.ts';
import { freeAddress } from '../support/free-port.ts';
import { optionsOf, runQuery, selectAll } from './grafana-queries.ts';
import { type Prometheus, type QuerySample, type QuerySeries, startPrometheus } from './prometheus-server.ts';
import { describeWith } from './with-programs.ts';

/** `test/real/remote-write/billing.test.ts` runs the queries over history that is sent by remote write. */
const SCRAPED = readDashboards().filter(({ uid }) => uid !== 'proxywatch-billing');
const RULES = 'prometheus/rules/proxywatch.yml';
/** Queries that may have no data in a healthy demo, and why. */
const MAY_BE_EMPTY: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/proxywatch_notifications_/, 'the demo has no receivers'],
  [/proxywatch_store_backup/, 'the demo makes no backups'],
  [/proxywatch_remote_write_/, 'the demo has no receivers of history'],
  [/proxywatch_collector_error\{.*== 1/, 'no collector of the demo fails'],
  [/proxywatch_charged_withheld_bytes/, 'the provider corrects nothing downward at once'],
  [/proxywatch_probe_phase_seconds/, 'the first step of a new counter is held back for minutes'],
  [/proxywatch_store_maintenance_(last_success|duration)/, 'maintenance comes ten minutes after the start'],
];
/** These must have data before the dashboards are queried, the last four for at least one step of a range query. */
const EXPECTED_BEFOREHAND = [
  'sum(increase(proxywatch_proxy_test_response_time_seconds_count[1m]))',
  'sum(increase(proxywatch_api_requests_total[1m]))',
  'count(proxywatch_reconcile_difference_bytes offset 2s)',
  'count(proxywatch_probe_exit_mismatch offset 2s)',
  'count(ALERTS{alertstate="firing"} offset 2s)',
  'sum(increase(proxywatch_traffic_requests_total[1m] offset 2s))',
];
/** Fewer than the demo has users and proxies. */
const ROWS = 10;

let prometheus: Prometheus;
let demo: Program;
let startedAt = 0;

/** Starts Prometheus first, so that it counts what the demo does at its start as growth. */
const start = async (): Promise<void> => {
  const target = await freeAddress();
  prometheus = await startPrometheus({ targets: [target], rules: RULES });
  demo = Program.start(['demo', '--listen', target]);
  await demo.url();
  startedAt = Date.now();
  for (const expression of EXPECTED_BEFOREHAND)
    await waitUntil(async () => ((await prometheus.query(expression))[0]?.value ?? 0) > 0);
};

const isData = ({ points }: QuerySeries): boolean => points.some(([, value]) => Number.isFinite(value));

/** Whether a query may have no data. */
const mayBeEmpty = ({ expr }: Query): boolean => {
  const [, threshold] = /proxywatch_alert_threshold\{alert="(\w+)"/.exec(expr) ?? [];
  if (threshold !== undefined) return !ALERTS.some(({ name }) => name === threshold);
  return MAY_BE_EMPTY.some(([pattern]) => pattern.test(expr));
};

const legendOf = (format: string, labels: QuerySeries['labels']): string =>
  format.replaceAll(/\{\{(\w+)\}\}/g, (_, label: string) => labels[label] ?? '');

/** Names the alert of a series of Prometheus or of the daemon, which have the labels of its subject. */
const alertOf = ({ labels }: QuerySample): string => {
  const { __name__, alertstate, severity, instance, job, alertname, alert = alertname, ...subject } = labels;
  return JSON.stringify([alert, Object.entries(subject).toSorted()]);
};

describeWith(['prometheus'], 'dashboards', () => {
  beforeAll(start);
  afterAll(async () => {
    await prometheus?.[Symbol.asyncDispose]();
    await demo?.[Symbol.asyncDispose]();
  });

  test('count each alert once that both Prometheus and the daemon fire', async () => {
    const [overview] = SCRAPED.filter(({ uid }) => uid === 'proxywatch-overview');
    if (!overview) throw new Error('there is no overview');
    const values = await selectAll(prometheus, overview);
    const shown = queriesOf(overview).filter(({ location }) => /Firing alerts|\(Alerts\)/.test(location));
    const firing = ['ALERTS{alertstate="firing"}', 'proxywatch_alert_firing == 1'];
    const expressions = [...firing, ...shown.map(({ expr }) => interpolate(expr, values))];
    const count = async () => {
      const results = await Promise.all(expressions.map((expression) => prometheus.query(expression)));
      const [inPrometheus = [], inDaemon = []] = results.map((samples) => samples.map(alertOf));
      return {
        either: new Set([...inPrometheus, ...inDaemon]).size,
        both: inPrometheus.filter((alert) => inDaemon.includes(alert)).length,
        overview: results.slice(2).map((samples) => samples.reduce((sum, { value }) => sum + value, 0)),
      };
    };
    // The daemon saw the beginning of some alerts that are still pending in Prometheus.
    await expect.poll(count).toSatisfy(({ either, both, overview }: Awaited<ReturnType<typeof count>>) => {
      return both > 5 && overview.every((shown) => shown === either);
    });
    expect(shown).toHaveLength(3);
  });

  describe.each(SCRAPED)('$uid', (dashboard) => {
    const queries = queriesOf(dashboard);
    let values: Values;
    beforeAll(async () => {
      // A busy machine misses scrapes, and in the second after each of them nothing has a value.
      await waitUntil(async () => {
        values = { ...(await selectAll(prometheus, dashboard)), limit: `${ROWS}` };
        return !Object.values(values).includes('()');
      });
    });

    test('offers values for each of its variables', async () => {
      for (const variable of dashboard.templating.list)
        expect([variable.name, await optionsOf(prometheus, variable, values)]).not.toEqual([
          variable.name,
          [],
        ]);
    });

    test('shows data in every panel, with known exceptions', async () => {
      for (const query of queries.filter(mayBeEmpty)) await runQuery(prometheus, query, values, startedAt);
      const empty = new Set(queries.filter((query) => !mayBeEmpty(query)));
      const withoutData = async (): Promise<Query[]> => {
        for (const query of empty)
          if ((await runQuery(prometheus, query, values, startedAt)).some(isData)) empty.delete(query);
        return [...empty];
      };
      await expect.poll(withoutData).toEqual([]);
    });

    test('shows no more users and proxies than its limit', async () => {
      for (const query of queries.filter(({ expr }) => !/^(label_replace\()?topk\(100,/.test(expr))) {
        const found = await runQuery(prometheus, query, values, startedAt);
        const valuesOf = (label: string) => new Set(found.map(({ labels }) => labels[label] ?? ''));
        const count = Math.max(valuesOf('proxy_user_id').size, valuesOf('proxy_id').size);
        if (count > ROWS) expect.fail(`${query.location} shows ${count}: ${query.expr}`);
      }
    });

    test('has room for the names in the legends', async () => {
      for (const panel of panelsOf(dashboard)) {
        const space = legendSpace(panel);
        if (space === undefined) continue;
        for (const { expr, legendFormat = '' } of panel.targets ?? []) {
          if (legendFormat.startsWith('threshold ')) continue;
          const query = { location: panel.title, expr, isInstant: false };
          const found = await runQuery(prometheus, query, values, startedAt);
          const names = found.map(({ labels }) => legendOf(legendFormat, labels));
          const tooLong = names.filter((name) => legendWidth(name) > space);
          expect.soft([panel.title, tooLong]).toEqual([panel.title, []]);
        }
      }
    });

    test('has tables that join their columns in one row, without labels of the scrape', async () => {
      for (const { title, targets = [], transformations = [] } of panelsOf(dashboard)) {
        const named = transformations.find(({ id }) => id === 'organize')?.options.renameByName;
        if (named === undefined || transformations.some(({ id }) => id === 'groupingToMatrix')) continue;
        for (const { refId, expr } of targets) {
          const query = { location: title, expr, isInstant: true };
          const labels = (await runQuery(prometheus, query, values, startedAt)).flatMap((row) =>
            Object.keys(row.labels),
          );
          const unexpected = labels.filter((label) => !(label in named));
          expect([title, refId, new Set(unexpected)]).toEqual([title, refId, new Set()]);
        }
      }
    });
  });
});
