// Serves the metrics of a daemon in trouble, so that a dozen alerts fire in an engine that scrapes them.

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ALERTS } from '../../src/alerts/table.ts';
import { HOUR } from '../../src/lib/time.ts';
import { DaemonMetrics } from '../../src/metrics/daemon-metrics.ts';
import { Exposition } from '../../src/metrics/exposition.ts';
import { textOf } from '../metrics/support.ts';

const FORBIDDEN = ['proxy/search', 'service/retrieve'];
const TESTS = 'proxy_test_run/create';
export const ENDPOINTS = ['analytics/graph', TESTS, ...FORBIDDEN];

/** All series of the first account exist for the second, too. */
export const ACCOUNTS = ['main', 'spare'];
const forEachAccount = (samples: string): string =>
  ACCOUNTS.map((account) => samples.replaceAll('account="main"', `account="${account}"`)).join('');

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
  for (const account of ACCOUNTS)
    daemon.provider.watchEndpoints(account, () => ({
      endpoints,
      unreached: null,
      keysRejectedSince: null,
      unanswered,
    }));
  return daemon;
};

/** Values that differ from the golden exposition: failing runs and proxies, and an unexplained difference. */
const TROUBLE: Readonly<Record<string, number>> = {
  'proxywatch_collector_consecutive_failures{account="main",collector="inventory"}': 9,
  'proxywatch_collector_consecutive_failures{account="main",collector="proxy_tests"}': 9,
  'proxywatch_proxies_at_fault{account="main",product_type="isp"}': 2,
  'proxywatch_reconcile_unexplained_bytes{account="main",pair="buckets_coarse"}': 9e9,
};

/** The golden exposition in trouble, and what each scrape adds to it. */
export const serveTrouble = async () => {
  const daemon = daemonInTrouble();
  const metrics = new Exposition([], daemon);
  const golden = readFileSync('test/golden/exposition.om.txt', 'utf8')
    .replace('# EOF\n', '')
    .replaceAll(/^(\S+) .*$/gm, (line, series) => (series in TROUBLE ? `${series} ${TROUBLE[series]}` : line))
    // The samples of a family stay together.
    .replaceAll(/(^[^#\n].*\n)+/gm, forEachAccount);
  const thresholds = ALERTS.filter(({ scope }) => scope !== 'outside').map(({ name, scope, threshold }) => {
    const line = (account: string) =>
      `proxywatch_alert_threshold{${account}alert="${name}"} ${threshold?.value ?? 1}\n`;
    return scope === 'account' ? forEachAccount(line('account="main",')) : line('');
  });
  const server = createServer(async (_request, response) => {
    for (const account of ACCOUNTS)
      for (const endpoint of ENDPOINTS) daemon.requestEnded(account, endpoint, '200', 100);
    response.setHeader('content-type', 'application/openmetrics-text; version=1.0.0');
    response.end([golden, ...thresholds, await textOf(metrics, {}, 'openmetrics')].join(''));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return { address: `127.0.0.1:${port}`, [Symbol.dispose]: () => void server.close() };
};
