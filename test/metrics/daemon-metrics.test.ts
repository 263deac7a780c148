// Tests the metrics about the daemon itself, as a scrape shows them.

import { expect, it } from 'vitest';
import { DaemonMetrics } from '../../src/metrics/daemon-metrics.ts';
import { Exposition } from '../../src/metrics/exposition.ts';
import { type ParsedSample, parse, textOf } from './support.ts';

const daemonMetrics = (): DaemonMetrics => new DaemonMetrics({ version: '1.2.3', nodeVersion: '24.0.0' });

const samplesOf = async (daemon: DaemonMetrics): Promise<ParsedSample[]> =>
  parse(await textOf(new Exposition([], daemon)));

const linesOf = async (daemon: DaemonMetrics, prefix = 'proxywatch_'): Promise<string[]> =>
  (await textOf(new Exposition([], daemon))).split('\n').filter((line) => line.startsWith(prefix));

it('shows no gauge that was never set', async () => {
  const lines = await linesOf(daemonMetrics());
  expect(lines.filter((line) => !/^proxywatch_store_(write_|maintenance_\w+_total)/.test(line))).toEqual([
    'proxywatch_build_info{version="1.2.3",node_version="24.0.0"} 1',
    'proxywatch_shard_info{shard="0",shards="1"} 1',
  ]);
});

it('shows the results of the last and of all maintenance of the store', async () => {
  const daemon = daemonMetrics();
  const maintenance = () => linesOf(daemon, 'proxywatch_store_maintenance_');
  daemon.store.maintained(1_500, 40, 60_000);
  daemon.store.maintained(500, 2, 120_000);
  daemon.store.maintenanceFailed(2_000);
  expect(await maintenance()).toEqual([
    'proxywatch_store_maintenance_runs_total{result="ok"} 2',
    'proxywatch_store_maintenance_runs_total{result="failed"} 1',
    'proxywatch_store_maintenance_deleted_rows_total 42',
    'proxywatch_store_maintenance_duration_seconds 2',
    'proxywatch_store_maintenance_last_success_timestamp_seconds 120',
  ]);
});

it('shows the usual codes of an endpoint and the results of a collector from the start', async () => {
  const daemon = daemonMetrics();
  daemon.expectEndpoint('main', 'user');
  daemon.expectCollector('main', 'traffic');
  const codes = (await linesOf(daemon, 'proxywatch_api_requests_total')).map((line) =>
    line.replace(/.*code=/, ''),
  );
  expect(codes).toEqual([
    '"200"} 0',
    '"429"} 0',
    '"500"} 0',
    '"timeout"} 0',
    '"network"} 0',
    '"bad_response"} 0',
  ]);
  const results = (await linesOf(daemon, 'proxywatch_collector_runs_total')).map((line) =>
    line.replace(/.*=/, ''),
  );
  expect(results).toEqual(['"ok"} 0', '"partial"} 0', '"failed"} 0', '"skipped"} 0']);
  expect(await linesOf(daemon, 'proxywatch_items_skipped_total')).toEqual([
    'proxywatch_items_skipped_total{account="main",collector="traffic"} 0',
  ]);
});

it('counts requests, and times them in a cumulative histogram up to 300 seconds', async () => {
  const daemon = daemonMetrics();
  daemon.requestEnded('main', 'user', '200', 60);
  daemon.requestEnded('main', 'user', '200', 120_000);
  daemon.requestEnded('main', 'user', 'timeout', 300_001);
  expect(await linesOf(daemon, 'proxywatch_api_requests_total')).toEqual([
    'proxywatch_api_requests_total{account="main",api_endpoint="user",code="200"} 2',
    'proxywatch_api_requests_total{account="main",api_endpoint="user",code="timeout"} 1',
  ]);
  const samples = (await samplesOf(daemon)).filter(({ labels }) => labels.api_endpoint === 'user');
  const buckets = samples.filter(({ name }) => name === 'proxywatch_api_request_duration_seconds_bucket');
  expect(buckets.map(({ labels, value }) => `${labels.le}: ${value}`)).toEqual(
    ['0.05: 0', '0.1: 1', '0.25: 1', '0.5: 1', '1.0: 1', '2.5: 1', '5.0: 1'].concat([
      '10.0: 1',
      '30.0: 1',
      '60.0: 1',
      '120.0: 2',
      '300.0: 2',
      '+Inf: 3',
    ]),
  );
  expect(samples.filter(({ name }) => /_(sum|count)$/.test(name)).map(({ value }) => value)).toEqual([
    420.061, 3,
  ]);
});

it('keeps its counts when an endpoint and a collector are expected again', async () => {
  const daemon = daemonMetrics();
  daemon.requestEnded('main', 'user', '200', 60);
  daemon.runEnded('main', 'traffic', 'ok');
  const before = await linesOf(daemon);
  daemon.expectEndpoint('main', 'user');
  daemon.expectCollector('main', 'traffic');
  expect(await linesOf(daemon)).toEqual(expect.arrayContaining(before));
});

it('counts runs, skipped items and writes of the store', async () => {
  const daemon = daemonMetrics();
  daemon.runEnded('main', 'traffic', 'partial');
  daemon.itemsSkipped('main', 'traffic', 3);
  daemon.store.written(2);
  daemon.store.written(7_000, new Error('disk full'));
  const lines = await linesOf(daemon);
  expect(lines).toContain(
    'proxywatch_collector_runs_total{account="main",collector="traffic",result="partial"} 1',
  );
  expect(lines).toContain('proxywatch_items_skipped_total{account="main",collector="traffic"} 3');
  expect(lines).toContain('proxywatch_store_write_errors_total 1');
  expect(lines).toContain('proxywatch_store_consecutive_write_errors 1');
  expect(lines).toContain('proxywatch_store_write_duration_seconds_bucket{le="0.0025"} 1');
  expect(lines).toContain('proxywatch_store_write_duration_seconds_sum 7.002');
});

it('reads the pace and the size of the store at every scrape', async () => {
  const daemon = daemonMetrics();
  const pace = { waiting: 0, limitPerSecond: 8, configuredPerSecond: 8 };
  let size = { bytes: 1, walBytes: 2 };
  daemon.provider.watchPace('main', pace);
  daemon.store.watch(() => size);
  await linesOf(daemon);
  pace.waiting = 5;
  pace.limitPerSecond = 0.5;
  size = { bytes: 4_096, walBytes: 0 };
  const lines = await linesOf(daemon);
  expect(lines).toContain('proxywatch_api_requests_waiting{account="main"} 5');
  expect(lines).toContain('proxywatch_api_requests_per_second_limit{account="main"} 0.5');
  expect(lines).toContain('proxywatch_api_requests_per_second_configured{account="main"} 8');
  expect(lines).toContain('proxywatch_store_size_bytes 4096');
  expect(lines).toContain('proxywatch_store_wal_size_bytes 0');
});

it('reads the state of endpoints at every scrape, and leaves out what does not apply', async () => {
  const daemon = daemonMetrics();
  const fine = { lastSuccessAt: 4_000, rejectedSince: null, refusedSince: null, pausedUntil: null };
  const paused = { ...fine, lastSuccessAt: null, refusedSince: 2_000, pausedUntil: 9_000 };
  const rejected = { ...fine, rejectedSince: 3_500 };
  const endpoints = [
    { endpoint: 'a/fine', ...fine },
    { endpoint: 'a/paused', ...paused },
    { endpoint: 'a/rejected', ...rejected },
  ];
  const unreached = { since: 1_000, newestAt: 8_000 };
  const unanswered = new Map([
    ['services', true],
    ['traffic', false],
  ]);
  daemon.provider.watchEndpoints('main', () => ({
    endpoints,
    unreached,
    keysRejectedSince: 3_000,
    unanswered,
  }));
  const shown = (await linesOf(daemon)).filter((line) =>
    /^proxywatch_(api|collector)_\w*(seconds|unanswered)\{/.test(line),
  );
  expect(shown.toSorted()).toEqual([
    'proxywatch_api_endpoint_paused_until_timestamp_seconds{account="main",api_endpoint="a/paused"} 9',
    'proxywatch_api_keys_rejected_since_timestamp_seconds{account="main"} 3',
    'proxywatch_api_last_success_timestamp_seconds{account="main",api_endpoint="a/fine"} 4',
    'proxywatch_api_last_success_timestamp_seconds{account="main",api_endpoint="a/rejected"} 4',
    'proxywatch_api_refused_since_timestamp_seconds{account="main",api_endpoint="a/paused"} 2',
    'proxywatch_api_rejected_since_timestamp_seconds{account="main",api_endpoint="a/rejected"} 3.5',
    'proxywatch_api_unreached_seconds{account="main"} 7',
    'proxywatch_collector_unanswered{account="main",collector="services"} 1',
    'proxywatch_collector_unanswered{account="main",collector="traffic"} 0',
  ]);
  daemon.forgetAccount('main');
  expect((await linesOf(daemon)).filter((line) => line.includes('a/paused'))).toEqual([]);
});

it('leaves out the size of the store if it cannot be read, and shows the rest', async () => {
  const daemon = daemonMetrics();
  daemon.store.watch(() => {
    throw new Error('no such file');
  });
  expect(await linesOf(daemon, 'proxywatch_store_size_bytes')).toEqual([]);
  expect(await linesOf(daemon, 'proxywatch_build_info')).toHaveLength(1);
});

it('shows waiting notifications and results by receiver, from 0, and nothing once the receiver is removed', async () => {
  const daemon = daemonMetrics();
  let receivers = [{ name: 'hook', waiting: 3, waitingSince: 1_700_000_000_000 }];
  daemon.watchReceivers(() => receivers);
  daemon.notified('hook', 'failed');
  expect(await linesOf(daemon, 'proxywatch_notifications_')).toEqual([
    'proxywatch_notifications_total{receiver="hook",result="failed"} 1',
    ...['sent', 'given_up', 'dropped'].map(
      (result) => `proxywatch_notifications_total{receiver="hook",result="${result}"} 0`,
    ),
    'proxywatch_notifications_waiting{receiver="hook"} 3',
    'proxywatch_notifications_waiting_since_timestamp_seconds{receiver="hook"} 1700000000',
  ]);
  receivers = [];
  expect(await linesOf(daemon, 'proxywatch_notifications_')).toEqual([]);
});

it('keeps the time of the last good reload when a later one fails', async () => {
  const daemon = daemonMetrics();
  daemon.reloaded(true, 1_700_000_000_500);
  daemon.reloaded(false, 1_700_000_060_000);
  expect(await linesOf(daemon, 'proxywatch_config_')).toEqual([
    'proxywatch_config_last_reload_successful 0',
    'proxywatch_config_last_reload_success_timestamp_seconds 1700000000.5',
  ]);
});

it('hides a forgotten account and no other', async () => {
  const daemon = daemonMetrics();
  for (const account of ['main', 'other']) {
    daemon.expectEndpoint(account, 'user');
    daemon.requestEnded(account, 'user', '404', 10);
    daemon.expectCollector(account, 'traffic');
    daemon.provider.watchPace(account, { waiting: 0, limitPerSecond: 8, configuredPerSecond: 8 });
  }
  const before = (await samplesOf(daemon)).filter(({ labels }) => labels.account === 'other');
  daemon.forgetAccount('main');
  const after = (await samplesOf(daemon)).filter(({ labels }) => labels.account !== undefined);
  expect(after).toEqual(before);
  expect(after.length).toBeGreaterThan(0);
});

it('continues the counters of an account that was forgotten and comes back', async () => {
  const daemon = daemonMetrics();
  daemon.expectEndpoint('main', 'user');
  daemon.expectCollector('main', 'traffic');
  daemon.requestEnded('main', 'user', '200', 10);
  daemon.runEnded('main', 'traffic', 'ok');
  const before = await linesOf(daemon);
  daemon.forgetAccount('main');
  expect((await linesOf(daemon)).filter((line) => line.includes('"main"'))).toEqual([]);
  daemon.expectEndpoint('main', 'user');
  daemon.expectCollector('main', 'traffic');
  expect(await linesOf(daemon)).toEqual(before);
});

it('hides a forgotten collector and endpoint of an account, and no other', async () => {
  const daemon = daemonMetrics();
  for (const name of ['traffic', 'users']) daemon.expectCollector('main', name);
  for (const name of ['graph', 'user']) daemon.requestEnded('main', name, '200', 10);
  for (const name of ['traffic', 'graph']) daemon.forget('main', name);
  const lines = (await linesOf(daemon)).filter((line) => line.includes('main'));
  expect(lines.filter((line) => /traffic|graph/.test(line))).toEqual([]);
  expect(lines.filter((line) => line.includes('"users"'))).toHaveLength(5);
  expect(lines.filter((line) => line.includes('"user"')).length).toBeGreaterThan(10);
});

it('has process and Node.js metrics, without those that the linter of promtool rejects', async () => {
  const daemon = daemonMetrics();
  const names = (await samplesOf(daemon)).map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['process_cpu_seconds_total', 'nodejs_version_info']));
  const listed = daemon.families.map(({ name }) => name);
  expect([...names, ...listed].filter((name) => name.startsWith('nodejs_active_'))).toEqual([]);
});
