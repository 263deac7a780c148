// Tests the demo as npm start runs it: every family has samples at once, and they survive a restart.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadDemoAccount } from '../../src/cli/demo/demo-settings.ts';
import { FAMILIES } from '../../src/collectors/index.ts';
import type { Family } from '../../src/lib/family.ts';
import { DAY } from '../../src/lib/time.ts';
import { DaemonMetrics } from '../../src/metrics/daemon-metrics.ts';
import { createFolder } from '../config/support.ts';
import { decreasedCounters } from '../support/counters.ts';
import { parseSamples } from '../support/harness.ts';
import { Samples } from '../support/samples.ts';
import { getText, Program, waitUntil } from './program.ts';

/** Families that may have no samples yet, with the reason. */
const MAY_BE_EMPTY: Readonly<Record<string, string>> = {
  proxywatch_store_maintenance_duration_seconds: 'it begins ten minutes after the start',
  proxywatch_store_maintenance_last_success_timestamp_seconds: 'it begins ten minutes after the start',
  proxywatch_store_backups_total: 'the demo makes no backups',
  proxywatch_store_backup_last_success_timestamp_seconds: 'the demo makes no backups',
  proxywatch_store_backup_overdue_seconds: 'the demo makes no backups',
  proxywatch_notifications_total: 'the demo has no receivers',
  proxywatch_notifications_waiting: 'the demo has no receivers',
  proxywatch_notifications_waiting_since_timestamp_seconds: 'the demo has no receivers',
  proxywatch_remote_write_samples_total: 'the demo has no receivers',
  proxywatch_remote_write_bytes_total: 'the demo has no receivers',
  proxywatch_remote_write_failures_total: 'the demo has no receivers',
  proxywatch_remote_write_lag_seconds: 'the demo has no receivers',
  proxywatch_collector_error: 'no collector fails',
  proxywatch_api_endpoint_paused_until_timestamp_seconds: 'the simulated provider refuses nothing',
  proxywatch_api_keys_rejected_since_timestamp_seconds: 'the simulated provider rejects nothing',
  proxywatch_api_refused_since_timestamp_seconds: 'the simulated provider refuses nothing',
  proxywatch_api_rejected_since_timestamp_seconds: 'the simulated provider rejects nothing',
  proxywatch_api_unreached_seconds: 'the simulated provider answers',
  proxywatch_proxy_test_waiting_since_timestamp_seconds: 'every proxy has a result',
  proxywatch_probe_phase_seconds: 'the first round of probes waits for a silent proxy',
  proxywatch_probe_exit_mismatch: 'the first round of probes waits for a silent proxy',
  proxywatch_probes_inconclusive: 'the first round of probes waits for a silent proxy',
  proxywatch_probe_control_success: 'the first round of probes waits for a silent proxy',
  proxywatch_probe_controls_failing_rounds: 'the first round of probes waits for a silent proxy',
  ...Object.fromEntries(
    ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'].map((kind) => [
      `nodejs_eventloop_lag_${kind}_seconds`,
      'Node.js may not have measured a delay yet',
    ]),
  ),
  nodejs_gc_duration_seconds: 'prom-client learns of a collection after it, maybe after the first scrape',
};

/** Requests and the provider's clock have samples after the first answer, compared days a little later. */
const hasFirstAnswers = (text: string): boolean =>
  ['proxywatch_provider_clock_offset_seconds{', 'proxywatch_reconcile_difference_bytes{'].every((start) =>
    text.includes(start),
  );

const scrapeDemo = async (folder: string, isComplete: (text: string) => boolean): Promise<string> => {
  await using program = Program.start(['demo', '--listen', '127.0.0.1:0', '--data', folder]);
  const url = await program.url();
  let text = '';
  await waitUntil(async () => {
    text = await getText(`${url}/metrics`);
    return isComplete(text);
  });
  // The demo has no configuration file, so a reload is not implemented.
  expect((await fetch(`${url}/-/reload`, { method: 'POST' })).status).toBe(501);
  program.kill('SIGTERM');
  expect(await program.ended).toEqual({ code: 0, signal: null });
  return text;
};

describe('the demo', () => {
  let folder = '';
  let [first, second] = ['', ''];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'proxywatch-demo-test-'));
    first = await scrapeDemo(folder, hasFirstAnswers);
    // Its data is fresh, so it sends no requests at once and there is no first answer to wait for.
    second = await scrapeDemo(folder, () => true);
  }, 180_000);
  afterAll(() => rm(folder, { recursive: true }));

  test('shows every family', () => {
    const shown = new Set(parseNames(first));
    const daemon = new DaemonMetrics({ version: '0.0.0', nodeVersion: '24.0.0' });
    const missing = [...FAMILIES, ...daemon.families].filter(
      (family) => !family.isDerived && !shown.has(sampleNameOf(family)),
    );
    expect(missing.map(({ name }) => name).filter((name) => !(name in MAY_BE_EMPTY))).toEqual([]);
  });

  test('has counters, faults and forecasts already', () => {
    const samples = new Samples(first);
    const sum = (name: string, labels = {}) =>
      samples.all(name, labels).reduce((total, { value }) => total + value, 0);
    expect(sum('proxywatch_traffic_bytes_total')).toBeGreaterThan(0);
    expect(sum('proxywatch_residential_ledger_used_bytes_total')).toBeGreaterThan(0);
    expect(sum('proxywatch_proxy_user_usage_bytes_total')).toBeGreaterThan(0);
    expect(sum('proxywatch_proxy_test_results_total')).toBeGreaterThan(0);
    expect(sum('proxywatch_fault', { kind: 'proxy' })).toBeGreaterThan(0);
    for (const state of ['ok', 'low', 'exhausted', 'unlimited']) {
      expect([state, sum('proxywatch_proxy_users_by_quota', { state }) > 0]).toEqual([state, true]);
    }
  });

  test('withholds nothing of the past days', () => {
    const withheld = new Samples(first).all('proxywatch_traffic_withheld_bytes');
    expect(withheld.filter(({ value }) => value < 0)).toEqual([]);
  });

  test('continues its counters when it is started again with the same folder', () => {
    expect(decreasedCounters(parseSamples(first), parseSamples(second))).toEqual([]);
  });
});

test('a demo that receives a stop signal before it serves never serves', async () => {
  await using program = Program.start(['demo', '--listen', '127.0.0.1:0']);
  await waitUntil(() => program.stdout.includes('the demo replays'));
  program.kill('SIGTERM');
  expect(await program.ended).toEqual({ code: 0, signal: null });
  expect(program.stdout).not.toContain('serves');
});

test('the start of the account is kept with its folder, also days later', () => {
  const folder = createFolder({});
  const now = Date.parse('2026-07-10T12:00:00Z');
  const created = loadDemoAccount(folder, now);
  expect(created).toEqual({ start: Date.parse('2026-06-10T00:00:00Z'), isNew: true });
  expect(loadDemoAccount(folder, now + 5 * DAY)).toEqual({ start: created.start, isNew: false });
});

const parseNames = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .map((line) => /^\w+/.exec(line)?.[0] ?? '');

const sampleNameOf = ({ name, type }: Family): string => (type === 'histogram' ? `${name}_count` : name);
