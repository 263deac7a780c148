// Tests the upgrade notes about the label `endpoint` of version 1.0.0 with a real Prometheus, in which it is stored.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { codeBlocksIn } from '../docs/documents.ts';
import { TARGET_LABELS } from '../support/discovery-labels.ts';
import { startPrometheus } from './prometheus-server.ts';
import { describeWith } from './with-programs.ts';

const [KEEP_BOTH, READ_BOTH] = ['metric_relabel_configs', 'exported_endpoint'].map((word) => {
  const block = codeBlocksIn('CHANGELOG.md').find(({ text }) => text.includes(word));
  if (!block) throw new Error(`the upgrade notes have no block with ${word}`);
  return block.text;
});
const RULES = 'test/fixtures/rules/endpoint-label.yml';
const PATIENCE = { timeout: 30_000, interval: 250 };
const TESTS = 'api_endpoint="proxy_test_run/create"';

/** Two endpoints are forbidden, and the provider refuses proxy tests for a day, so that their runs fail. */
const TROUBLES = `
proxywatch_api_rejected_since_timestamp_seconds{account="main",api_endpoint="proxy/search"} 1
proxywatch_api_rejected_since_timestamp_seconds{account="main",api_endpoint="service/retrieve"} 1
proxywatch_api_refused_since_timestamp_seconds{account="main",${TESTS}} 1000
proxywatch_api_endpoint_paused_until_timestamp_seconds{account="main",${TESTS}} 90000
proxywatch_collector_consecutive_failures{account="main",collector="proxy_tests"} 9
proxywatch_alert_threshold{account="main",alert="ProviderEndpointForbidden"} 1
proxywatch_alert_threshold{account="main",alert="TestQuotaRefused"} 600
proxywatch_alert_threshold{account="main",alert="CollectorFailing"} 2
`.trimStart();

/** Serves requests to one endpoint under this label, and counts one with each scrape. */
const serve = async (label: string, more = '') => {
  let scrapes = 0;
  const server = createServer((_request, response) => {
    scrapes += 1;
    const labels = `account="main",${label}="analytics/graph",code="200"`;
    response.setHeader('content-type', 'text/plain');
    response.end(`${more}proxywatch_api_requests_total{${labels}} ${scrapes}\n`);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return { targets: [`127.0.0.1:${port}`], [Symbol.dispose]: () => void server.close() };
};

describeWith(['prometheus'], 'the upgrade notes', () => {
  test('let old rules fire, and read series from before and after the upgrade under one name', async () => {
    using current = await serve('api_endpoint', TROUBLES);
    using former = await serve('endpoint');
    using formerOfOperator = await serve('endpoint');
    await using prometheus = await startPrometheus({
      rules: RULES,
      scrape: {
        ...parse(KEEP_BOTH ?? ''),
        static_configs: [
          { targets: current.targets, labels: TARGET_LABELS },
          { targets: formerOfOperator.targets, labels: TARGET_LABELS },
          { targets: former.targets },
        ],
      },
    });
    const firing = async () =>
      (await prometheus.alerts())
        .map(({ labels: { alertname, endpoint = '', collector = '' } }) => alertname + endpoint + collector)
        .toSorted();
    await expect
      .poll(firing, PATIENCE)
      .toEqual([
        'ProviderEndpointForbiddenproxy/search',
        'ProviderEndpointForbiddenservice/retrieve',
        'TestQuotaRefusedproxy_tests',
      ]);
    const rated = 'count(rate(proxywatch_api_requests_total[5m]) > 0)';
    await expect.poll(async () => (await prometheus.query(rated))[0]?.value, PATIENCE).toBe(3);
    const all = 'scalar(sum(rate(proxywatch_api_requests_total[5m])))';
    const shares = await prometheus.query(`(${READ_BOTH}) / ${all}`);
    expect(shares.map(({ labels }) => labels)).toEqual([
      { account: 'main', api_endpoint: 'analytics/graph' },
    ]);
    expect(shares[0]?.value).toBeCloseTo(1);
  });
});
