// Tests the store commands while a real daemon runs, and that killing it never makes its store look older than it is.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SECOND } from '../../src/lib/time.ts';
import { draw } from '../../src/simulator/random.ts';
import { startSimulator } from '../../src/simulator/simulator.ts';
import { createFolder } from '../config/support.ts';
import { parseSamples } from '../support/harness.ts';
import { getText, Program, runToEnd, waitUntil } from './program.ts';
import { configText } from './run-command.ts';

const EVERY_SECOND = { schedule: '* * * * * *' };
const ACCOUNT = {
  traffic: { ...EVERY_SECOND, catch_up: '1h', reread: '5m' },
  residential_ledger: EVERY_SECOND,
  proxy_users: EVERY_SECOND,
};
const OTHERS = { store: { path: 'store.db' }, metrics: { first_step_hold: '0s' } };
const KILLS = 4;
const SEED = 20_260_712;

test('check and backup while a daemon runs, kills, and a restore', { timeout: 120_000 }, async () => {
  await using simulator = await startSimulator({
    scenario: { users: 3, proxies: 2, pace: null },
    now: () => Date.now(),
  });
  const folder = createFolder({ 'config.yaml': configText(simulator, ACCOUNT, OTHERS) });
  const config = ['--config', join(folder, 'config.yaml')];
  const [path, backup] = [join(folder, 'store.db'), join(folder, 'backup.db')];
  const warnsOfOlderFile = ({ stdout }: Program) => stdout.includes('older file');
  const waitForPolls = async (polls: number) => {
    const last = simulator.requests.count() + polls;
    await waitUntil(() => simulator.requests.count() >= last);
  };
  {
    await using daemon = Program.start(['run', ...config]);
    await daemon.url();
    await waitForPolls(20);
    const check = await runToEnd('store', 'check', ...config);
    expect(check).toMatchObject({ code: 0, stderr: '' });
    expect(check.stdout.split('\n').filter((line) => !line.startsWith('ok '))).toEqual([
      `${path}: no damage found`,
      '',
    ]);
    const created = await runToEnd('store', 'backup', backup, ...config);
    expect(created).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringContaining(`${backup}: backup of ${path}`),
    });
    const refused = await runToEnd('store', 'restore', backup, ...config);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(/another proxywatch is using this store. Stop the other proxywatch/);
    daemon.kill('SIGKILL');
    await daemon.ended;
  }
  for (let kill = 0; kill < KILLS; kill += 1) {
    await using daemon = Program.start(['run', ...config]);
    await daemon.url();
    await waitForPolls(Math.floor(draw(SEED, kill) * 10));
    expect(warnsOfOlderFile(daemon)).toBe(false);
    daemon.kill('SIGKILL');
    await daemon.ended;
  }
  const restoredAt = Date.now();
  const restored = await runToEnd('store', 'restore', backup, ...config);
  expect(restored).toMatchObject({ code: 0, stderr: '' });
  const [, keptFile = ''] = /is kept as (.*)$/m.exec(restored.stdout) ?? [];
  expect(existsSync(keptFile)).toBe(true);

  await using daemon = Program.start(['run', ...config]);
  const samples = parseSamples(await getText(`${await daemon.url()}/metrics`));
  expect(warnsOfOlderFile(daemon)).toBe(true);
  expect(samples.get('proxywatch_store_epoch_timestamp_seconds')).toBeGreaterThan(restoredAt / SECOND);
});
