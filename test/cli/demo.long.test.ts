// The demo as npm start runs it: at once there is something to see of everything, and it stays.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accountSince } from '../../src/cli/demo/demo-account.ts';
import { FAMILIES } from '../../src/collectors/index.ts';
import type { Family } from '../../src/lib/family.ts';
import { DAY } from '../../src/lib/time.ts';
import { DaemonMetrics } from '../../src/metrics/daemon-metrics.ts';
import { folderOf } from '../config/support.ts';
import { fallenCounters } from '../support/counters.ts';
import { parseSamples } from '../support/harness.ts';
import { Samples } from '../support/samples.ts';
import { getText, Program, until } from './program.ts';

/** Families that may have nothing to show yet, with the reason. */
const MAY_BE_EMPTY: Readonly<Record<string, string>> = {
  proxywatch_store_maintenance_duration_seconds: 'it comes ten minutes after the start',
  proxywatch_store_maintenance_last_success_timestamp_seconds: 'it comes ten minutes after the start',
  proxywatch_notifications_total: 'the demo tells nobody',
  proxywatch_notifications_waiting: 'the demo tells nobody',
  proxywatch_notifications_waiting_since_timestamp_seconds: 'the demo tells nobody',
  proxywatch_api_endpoint_paused_until_timestamp_seconds: 'the simulated provider refuses nothing',
  proxywatch_api_keys_rejected_since_timestamp_seconds: 'the simulated provider rejects nothing',
  proxywatch_api_refused_since_timestamp_seconds: 'the simulated provider refuses nothing',
  proxywatch_api_rejected_since_timestamp_seconds: 'the simulated provider rejects nothing',
  proxywatch_api_unreached_seconds: 'the simulated provider answers',
  proxywatch_proxy_test_waiting_since_timestamp_seconds: 'every proxy has a result',
  nodejs_gc_duration_seconds: 'prom-client hears of a collection after it, maybe after the first scrape',
};

/** Requests and the provider's clock have something to show from the first answer on, compared days a bit later. */
const hasAnswer = (text: string): boolean =>
  ['proxywatch_provider_clock_offset_seconds{', 'proxywatch_reconcile_difference_bytes{'].every((start) =>
    text.includes(start),
  );

const scrapeDemo = async (folder: string, isWhole: (text: string) => boolean): Promise<string> => {
  await using program = Program.start(['demo', '--listen', '127.0.0.1:0', '--data', folder]);
  const url = await program.url();
  let text = '';
  await until(async () => {
    text = await getText(`${url}/metrics`);
    return isWhole(text);
  });
  // It has no file to load.
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
    first = await scrapeDemo(folder, hasAnswer);
    // Its data is fresh, so that it asks for nothing at once.
    second = await scrapeDemo(folder, () => true);
  }, 60_000);
  afterAll(() => rm(folder, { recursive: true }));

  test('shows every family that there is', () => {
    const shown = new Set(parseNames(first));
    const daemon = new DaemonMetrics({ version: '0.0.0', nodeVersion: '24.0.0' });
    const missing = [...FAMILIES, ...daemon.families].filter((family) => !shown.has(sampleNameOf(family)));
    expect(missing.map(({ name }) => name).filter((name) => !(name in MAY_BE_EMPTY))).toEqual([]);
  });

  test('has counted, judged and forecast already', () => {
    const samples = new Samples(first);
    const sum = (name: string, labels = {}) =>
      samples.all(name, labels).reduce((total, { value }) => total + value, 0);
    expect(sum('proxywatch_traffic_bytes_total')).toBeGreaterThan(0);
    expect(sum('proxywatch_residential_ledger_used_bytes_total')).toBeGreaterThan(0);
    expect(sum('proxywatch_proxy_user_usage_bytes_total')).toBeGreaterThan(0);
    expect(sum('proxywatch_proxy_test_successes_total')).toBeGreaterThan(0);
    expect(sum('proxywatch_fault', { kind: 'proxy' })).toBeGreaterThan(0);
    for (const state of ['ok', 'low', 'exhausted', 'unlimited']) {
      expect([state, sum('proxywatch_proxy_users_by_quota', { state }) > 0]).toEqual([state, true]);
    }
  });

  test('counts as much as it served: nothing of the past days is held back', () => {
    const withheld = new Samples(first).all('proxywatch_traffic_withheld_bytes');
    expect(withheld.filter(({ value }) => value < 0)).toEqual([]);
  });

  test('goes on where it was when it is started again on the same folder', () => {
    expect(fallenCounters(parseSamples(first), parseSamples(second))).toEqual([]);
  });
});

test('a demo that is told to stop before it serves never does', async () => {
  await using program = Program.start(['demo', '--listen', '127.0.0.1:0']);
  await until(() => program.stdout.includes('replaying'));
  program.kill('SIGTERM');
  expect(await program.ended).toEqual({ code: 0, signal: null });
  expect(program.stdout).not.toContain('serves');
});

test('the account is as old as when its folder was made, days later too', () => {
  const folder = folderOf({});
  const now = Date.parse('2026-07-10T12:00:00Z');
  const made = accountSince(folder, now);
  expect(made).toEqual({ start: Date.parse('2026-06-10T00:00:00Z'), isNew: true });
  expect(accountSince(folder, now + 5 * DAY)).toEqual({ start: made.start, isNew: false });
});

const parseNames = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .map((line) => /^\w+/.exec(line)?.[0] ?? '');

const sampleNameOf = ({ name, type }: Family): string => (type === 'histogram' ? `${name}_count` : name);
