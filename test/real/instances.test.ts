// A real Prometheus that scrapes several daemons with accounts of the same names: no rule and no query breaks.

import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { rulesOf } from '../../src/alerts/rules.ts';
import { ALERTS } from '../../src/alerts/table.ts';
import { until } from '../cli/program.ts';
import { folderOf } from '../config/support.ts';
import { queriesOf, readDashboards } from '../grafana/dashboard-files.ts';
import { ask, pickAll } from './ask-as-grafana.ts';
import { startPrometheus } from './prometheus-server.ts';
import { describeWith } from './with-programs.ts';

const EXPOSITION = readFileSync('test/golden/exposition.txt', 'utf8');
/** Conditions are true that ask for less than a threshold, or for more. */
const THRESHOLDS = ['1e+18', '-1e+18'];
/** Daemons that see the same account at another moment tell different things of a proxy. */
const STATUSES = ['in_use', 'reserved'];

/** Of the daemon itself, which the golden file does not have. */
const TROUBLE = [
  'proxywatch_store_consecutive_write_errors 5',
  'proxywatch_config_last_reload_successful 0',
  'proxywatch_notifications_waiting_since_timestamp_seconds{receiver="hook"} 1000',
];

const daemonAt = (threshold: string, status: string): string =>
  [
    EXPOSITION.replaceAll(/^(proxywatch_proxy_info\{.*status=")\w+/gm, `$1${status}`).trimEnd(),
    ...ALERTS.map(({ name, scope }) => {
      const account = scope === 'account' ? 'account="main",' : '';
      return `proxywatch_alert_threshold{${account}alert="${name}"} ${threshold}`;
    }),
    ...TROUBLE,
    '',
  ].join('\n');

const serve = async (body: string) => {
  const server = createServer((_request, response) => response.end(body)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { address: `127.0.0.1:${port}`, [Symbol.dispose]: () => void server.close() };
};

describeWith(['prometheus'], 'Prometheus with several daemons that have accounts of the same names', () => {
  test('evaluates every rule, tells of each subject once, and answers every query of the dashboards', async () => {
    using stack = new DisposableStack();
    const targets: string[] = [];
    for (const threshold of THRESHOLDS)
      for (const status of STATUSES)
        targets.push(stack.use(await serve(daemonAt(threshold, status))).address);
    const rules = join(folderOf({}), 'rules.yml');
    writeFileSync(rules, rulesOf(ALERTS, { holdScale: 0 }));
    await using prometheus = await startPrometheus({ targets, rules });
    const startedAt = Date.now();
    await until(async () => (await prometheus.query('count(up == 1)'))[0]?.value === targets.length);
    const firing = async () => (await prometheus.alerts()).filter(({ state }) => state === 'firing');
    await until(async () =>
      (await firing()).some(({ labels }) => labels.alertname === 'NotificationsFailing'),
    );

    const health = (await prometheus.rules()).map(({ name, health, lastError = '' }) => [
      name,
      health,
      lastError,
    ]);
    expect(health).toEqual(ALERTS.map(({ name }) => [name, 'ok', '']));

    const told = (await firing()).map(({ labels }) => labels);
    const ofAccounts = told.filter(({ account }) => account !== undefined);
    expect(ofAccounts.filter((labels) => 'instance' in labels || 'job' in labels)).toEqual([]);
    const subjects = ofAccounts.map((labels) => JSON.stringify(labels));
    expect(subjects.length).toBe(new Set(subjects).size);
    const names = new Set(ofAccounts.map(({ alertname }) => alertname));
    expect(names.size).toBeGreaterThan(5);
    const failing = told
      .filter(({ alertname }) => alertname === 'StoreFailing')
      .map(({ instance }) => instance);
    expect(failing.toSorted()).toEqual(targets.slice(-STATUSES.length).toSorted());

    const refused: string[] = [];
    for (const dashboard of readDashboards()) {
      const values = { ...(await pickAll(prometheus, dashboard)), limit: '10' };
      for (const query of queriesOf(dashboard))
        await ask(prometheus, query, values, startedAt).catch(({ message }) =>
          refused.push(`${query.of}: ${message}`),
        );
    }
    expect(refused).toEqual([]);
  });
});
