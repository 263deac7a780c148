// Tests all rules and queries with a real Prometheus that scrapes several daemons with accounts of the same names.

import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { rulesOf } from '../../src/alerts/rules.ts';
import { ALERTS } from '../../src/alerts/table.ts';
import { waitUntil } from '../cli/program.ts';
import { createFolder } from '../config/support.ts';
import { queriesOf, readDashboards } from '../grafana/dashboard-files.ts';
import { runQuery, selectAll } from './grafana-queries.ts';
import { startPrometheus } from './prometheus-server.ts';
import { describeWith } from './with-programs.ts';

const EXPOSITION = readFileSync('test/golden/exposition.txt', 'utf8');
/** With one of these thresholds a condition is true, whether it compares with less or with more. */
const THRESHOLDS = ['1e+18', '-1e+18'];
/** Daemons that read the same account at different times can return different labels for a proxy. */
const COUNTRIES = ['fr', 'de'];

/** Problems of the daemon itself, which the golden file does not contain. */
const DAEMON_PROBLEMS = [
  'proxywatch_store_consecutive_write_errors 5',
  'proxywatch_config_last_reload_successful 0',
  'proxywatch_notifications_waiting_since_timestamp_seconds{receiver="hook"} 1000',
];

const expositionOf = (threshold: string, country: string): string =>
  [
    EXPOSITION.replaceAll(/^(proxywatch_proxy_info\{.*country_id=")\w+/gm, `$1${country}`).trimEnd(),
    ...ALERTS.map(({ name, scope }) => {
      const account = scope === 'account' ? 'account="main",' : '';
      return `proxywatch_alert_threshold{${account}alert="${name}"} ${threshold}`;
    }),
    ...DAEMON_PROBLEMS,
    '',
  ].join('\n');

/** Serves an exposition in which the counters of tests grow by one with each scrape. */
const serve = async (exposition: string) => {
  let scrapes = 0;
  const server = createServer((_request, response) => {
    scrapes += 1;
    response.setHeader('content-type', 'text/plain');
    response.end(exposition.replaceAll(/^(proxywatch_proxy_test_\w+_total\{.*\}) .*$/gm, `$1 ${scrapes}`));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { address: `127.0.0.1:${port}`, [Symbol.dispose]: () => void server.close() };
};

describeWith(['prometheus'], 'Prometheus with several daemons that have accounts of the same names', () => {
  test('evaluates every rule, reports each subject once, and answers every query of the dashboards', async () => {
    using stack = new DisposableStack();
    const targets: string[] = [];
    for (const threshold of THRESHOLDS)
      for (const country of COUNTRIES)
        targets.push(stack.use(await serve(expositionOf(threshold, country))).address);
    const rules = join(createFolder({}), 'rules.yml');
    writeFileSync(rules, rulesOf(ALERTS, { holdScale: 0 }));
    await using prometheus = await startPrometheus({ targets, rules });
    const startedAt = Date.now();
    await waitUntil(async () => (await prometheus.query('count(up == 1)'))[0]?.value === targets.length);
    const firing = async () => (await prometheus.alerts()).filter(({ state }) => state === 'firing');
    const named = async (name: string) => (await firing()).filter(({ labels }) => labels.alertname === name);
    // Waits for the last of the rules, for each daemon for which its condition is true.
    await waitUntil(async () => (await named('NotificationsFailing')).length === COUNTRIES.length);

    const health = (await prometheus.rules()).map(({ name, health, lastError = '' }) => [
      name,
      health,
      lastError,
    ]);
    expect(health).toEqual(ALERTS.map(({ name }) => [name, 'ok', '']));

    const alerts = (await firing()).map(({ labels }) => labels);
    const ofAccounts = alerts.filter(({ account }) => account !== undefined);
    expect(ofAccounts.filter((labels) => 'instance' in labels || 'job' in labels)).toEqual([]);
    const subjects = ofAccounts.map((labels) => JSON.stringify(labels));
    expect(subjects.length).toBe(new Set(subjects).size);
    const names = new Set(ofAccounts.map(({ alertname }) => alertname));
    expect(names.size).toBeGreaterThan(5);
    const failing = alerts
      .filter(({ alertname }) => alertname === 'StoreFailing')
      .map(({ instance }) => instance);
    expect(failing.toSorted()).toEqual(targets.slice(-COUNTRIES.length).toSorted());

    const testsIncreased = 'sum(increase(proxywatch_proxy_test_results_total[1m])) > 0';
    await waitUntil(async () => (await prometheus.query(testsIncreased)).length > 0);
    const failures: string[] = [];
    for (const dashboard of readDashboards()) {
      const values = { ...(await selectAll(prometheus, dashboard)), limit: '10' };
      for (const query of queriesOf(dashboard))
        await runQuery(prometheus, query, values, startedAt).catch(({ message }) =>
          failures.push(`${query.location}: ${message}`),
        );
    }
    expect(failures).toEqual([]);
  });
});
