// Tests all rules and dashboards with a real Prometheus whose target has every label that service discovery adds.

import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rulesOf } from '../../src/alerts/rules.ts';
import { ALERTS } from '../../src/alerts/table.ts';
import { HOUR } from '../../src/lib/time.ts';
import { DaemonMetrics } from '../../src/metrics/daemon-metrics.ts';
import { Exposition } from '../../src/metrics/exposition.ts';
import { queriesOf, readDashboards } from '../grafana/dashboard-files.ts';
import { textOf } from '../metrics/support.ts';
import { DISCOVERY_LABELS, TARGET_LABELS } from '../support/discovery-labels.ts';
import { runQuery, selectAll } from './grafana-queries.ts';
import { type Prometheus, startPrometheus } from './prometheus-server.ts';
import { describeWith } from './with-programs.ts';

const FORBIDDEN = ['proxy/search', 'service/retrieve'];
const TESTS = 'proxy_test_run/create';
const ENDPOINTS = ['analytics/graph', TESTS, ...FORBIDDEN];
const PATIENCE = { timeout: 30_000, interval: 250 };

/** Two endpoints are forbidden, and the provider refuses proxy tests for an hour. */
const daemonInTrouble = (): DaemonMetrics => {
  const daemon = new DaemonMetrics({ version: '1.2.3', nodeVersion: '24.0.0' });
  const now = Date.now();
  const endpoints = ENDPOINTS.map((endpoint) => ({
    ...{ endpoint, lastSuccessAt: now },
    rejectedSince: FORBIDDEN.includes(endpoint) ? now : null,
    ...(endpoint === TESTS
      ? { refusedSince: now, pausedUntil: now + HOUR }
      : { refusedSince: null, pausedUntil: null }),
  }));
  const unanswered = new Map<string, boolean>();
  daemon.provider.watchEndpoints('main', () => ({
    endpoints,
    unreached: null,
    keysRejectedSince: null,
    unanswered,
  }));
  return daemon;
};

/** The golden exposition with failing runs, and what each scrape adds to it. */
const serve = async () => {
  const daemon = daemonInTrouble();
  const metrics = new Exposition([], daemon);
  const golden = readFileSync('test/golden/exposition.txt', 'utf8').replaceAll(
    /^(proxywatch_collector_consecutive_failures\{.*collector="(?:inventory|proxy_tests)"\}) .*$/gm,
    '$1 9',
  );
  const thresholds = ALERTS.filter(({ scope }) => scope !== 'outside').map(({ name, scope, threshold }) => {
    const account = scope === 'account' ? 'account="main",' : '';
    return `proxywatch_alert_threshold{${account}alert="${name}"} ${threshold?.value ?? 1}`;
  });
  const server = createServer(async (_request, response) => {
    for (const endpoint of ENDPOINTS) daemon.requestEnded('main', endpoint, '200', 100);
    response.end([golden.trimEnd(), ...thresholds, await textOf(metrics)].join('\n'));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return { address: `127.0.0.1:${port}`, [Symbol.dispose]: () => void server.close() };
};

/** Leaves out the labels of the target, which queries without an aggregation keep. */
const ownLabels = (labels: Readonly<Record<string, string>>): string =>
  JSON.stringify(
    Object.entries(labels)
      .filter(([name]) => !(name in DISCOVERY_LABELS))
      .toSorted(),
  );

describeWith(['prometheus'], 'a target with the labels of service discovery', () => {
  const stack = new AsyncDisposableStack();
  let plain: Prometheus;
  let discovered: Prometheus;
  const startedAt = Date.now();
  beforeAll(async () => {
    const { address } = stack.use(await serve());
    const folder = stack.use(await mkdtempDisposable(join(tmpdir(), 'proxywatch-rules-')));
    const rules = join(folder.path, 'rules.yml');
    writeFileSync(rules, rulesOf(ALERTS, { holdScale: 0 }));
    const start = async (labels: object) =>
      stack.use(
        await startPrometheus({ rules, scrape: { static_configs: [{ targets: [address], labels }] } }),
      );
    [plain, discovered] = [await start({}), await start(TARGET_LABELS)];
  });
  afterAll(() => stack.disposeAsync());

  const firing = async (prometheus: Prometheus): Promise<string[]> =>
    (await prometheus.alerts())
      .filter(({ state }) => state === 'firing')
      .map(({ labels }) => ownLabels(labels))
      .toSorted();
  const subjectsOf = async (name: string) =>
    (await discovered.alerts()).filter(({ labels }) => labels.alertname === name).map(({ labels }) => labels);

  test('has no series with a label that had to be renamed', async () => {
    const isScraped = async () => (await discovered.query('proxywatch_build_info')).length;
    await expect.poll(isScraped, PATIENCE).toBe(1);
    const [series] = await discovered.query('{__name__="proxywatch_api_last_success_timestamp_seconds"}');
    expect(series?.labels).toMatchObject({ ...TARGET_LABELS, job: 'proxywatch' });
    const all = await discovered.query('{__name__=~"proxywatch_.*"}');
    expect(all.length).toBeGreaterThan(500);
    const renamed = all.filter(({ labels }) => Object.keys(labels).some((name) => /^exported_/.test(name)));
    expect(renamed).toEqual([]);
  });

  test('fires the same alerts as a target without them', async () => {
    await expect.poll(async () => (await subjectsOf('ProviderEndpointForbidden')).length, PATIENCE).toBe(2);
    await expect.poll(async () => (await subjectsOf('TestQuotaRefused')).length, PATIENCE).toBe(1);
    await expect.poll(async () => (await subjectsOf('CollectorFailing')).length, PATIENCE).toBe(1);
    expect(await subjectsOf('CollectorFailing')).toMatchObject([{ collector: 'inventory' }]);
    await expect
      .poll(async () => {
        const [own, others] = [await firing(discovered), await firing(plain)];
        return own.length > 5 && JSON.stringify(own) === JSON.stringify(others);
      }, PATIENCE)
      .toBe(true);
  });

  test('answers each query of the dashboards with the same series', async () => {
    const increased = 'sum(increase(proxywatch_api_requests_total[5s])) > 0';
    for (const prometheus of [plain, discovered])
      await expect.poll(async () => (await prometheus.query(increased)).length, PATIENCE).toBe(1);
    const differing = async (): Promise<string[]> => {
      const found: string[] = [];
      for (const dashboard of readDashboards()) {
        const values = { ...(await selectAll(discovered, dashboard)), limit: '10' };
        for (const query of queriesOf(dashboard)) {
          const seriesOf = async (prometheus: Prometheus) =>
            (await runQuery(prometheus, query, values, startedAt))
              .map(({ labels }) => ownLabels(labels))
              .toSorted();
          const [own, others] = [await seriesOf(discovered), await seriesOf(plain)];
          if (JSON.stringify(own) !== JSON.stringify(others)) found.push(query.location);
        }
      }
      return found;
    };
    // The two scrape at different moments, so right after the start one of them can have a sample more.
    await expect.poll(differing, PATIENCE).toEqual([]);
    const requests = readDashboards()
      .flatMap(queriesOf)
      .find(({ location }) => location.includes('Requests by endpoint'));
    if (!requests) throw new Error('there is no panel “Requests by endpoint”');
    const shown = await runQuery(
      discovered,
      requests,
      { account: '.*', job: 'proxywatch', instance: '.*' },
      startedAt,
    );
    expect(shown.map(({ labels }) => labels.api_endpoint).toSorted()).toEqual(ENDPOINTS.toSorted());
  });
});
