// Tests once: it runs every collector, prints metrics on standard output and logs on standard error.

import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { once } from '../../src/cli/export.ts';
import { startSimulator } from '../../src/simulator/simulator.ts';
import { createFolder } from '../config/support.ts';
import { Samples } from '../support/samples.ts';
import { type CommandResult, configText, runCommand } from './run-command.ts';

const NOW = Date.parse('2026-07-10T12:34:56Z');

const simulator = () => startSimulator({ scenario: { users: 3, proxies: 2, pace: null }, now: () => NOW });

const PROXY_TESTS = {
  proxy_tests: {
    urls: ['https://www.example.com/'],
    proxies: [{ name: 'one', proxy: '192.0.2.1:8000:alice:password' }],
  },
};

type Provider = Awaited<ReturnType<typeof simulator>>;

const runOnce = async (provider: Provider, tests?: boolean): Promise<CommandResult> => {
  const folder = createFolder({ 'config.yaml': configText(provider, PROXY_TESTS) });
  return runCommand(once, { config: join(folder, 'config.yaml'), ...(tests ? { tests } : {}) });
};

describe('once', () => {
  test('prints the metrics of every collector except proxy tests, which it does not run', async () => {
    await using provider = await simulator();
    const { code, stdout, stderr } = await runOnce(provider);
    const samples = new Samples(stdout);
    expect(samples.by('collector', 'proxywatch_collector_success')).toEqual({
      traffic: 1,
      residential_ledger: 1,
      proxy_users: 1,
      reconciliation: 1,
    });
    expect(samples.all('proxywatch_proxy_user_info')).toHaveLength(3);
    expect(provider.requests.count('proxy_test_run/create')).toBe(0);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  test('runs proxy tests with --tests', async () => {
    await using provider = await simulator();
    const { code, stdout } = await runOnce(provider, true);
    expect(code).toBe(0);
    expect(new Samples(stdout).all('proxywatch_proxy_test_success', { proxy_id: 'one' })).not.toEqual([]);
    expect(provider.requests.count('proxy_test_run/create')).toBe(1);
  });

  test('ends with 1 when a collector failed, and prints the metrics of the others', async () => {
    await using provider = await simulator();
    provider.faults.add({ kind: 'status', status: 401, endpoint: 'residential_ledger' });
    const { code, stdout, stderr } = await runOnce(provider);
    expect(code).toBe(1);
    expect(new Samples(stdout).by('collector', 'proxywatch_collector_success')).toEqual({
      traffic: 1,
      residential_ledger: 0,
      proxy_users: 1,
      reconciliation: 1,
    });
    expect(
      stderr
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([
      expect.objectContaining({
        level: 'error',
        collector: 'residential_ledger',
        kind: 'auth',
        msg: 'run failed',
      }),
    ]);
  });

  test('stops when the signal aborts, and then returns 1', async () => {
    await using provider = await simulator();
    provider.faults.add({ kind: 'slow', delay_ms: 60_000 });
    const folder = createFolder({ 'config.yaml': configText(provider) });
    const { code } = await runCommand(
      once,
      { config: join(folder, 'config.yaml') },
      AbortSignal.timeout(100),
    );
    expect(code).toBe(1);
  });
});
