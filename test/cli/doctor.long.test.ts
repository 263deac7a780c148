// doctor beside a daemon in a process of its own, which it does not disturb.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { doctor } from '../../src/cli/doctor/doctor.ts';
import { startSimulator } from '../../src/simulator/simulator.ts';
import { folderOf } from '../config/support.ts';
import { configOf, say } from './in-process.ts';
import { Program, until } from './program.ts';

test('a daemon that runs is left alone', { timeout: 60_000 }, async () => {
  await using simulator = await startSimulator({
    scenario: { users: 3, proxies: 2, pace: null },
    now: () => Date.now(),
  });
  const traffic = { catch_up: '1h', reread: '5m', deep_reread: { span: '1h' } };
  const others = { store: { path: 'store.db' } };
  const folder = folderOf({ 'config.yaml': configOf(simulator, { traffic }, others) });
  const config = join(folder, 'config.yaml');
  await using daemon = Program.start(['run', '--config', config]);
  const url = await daemon.url();
  await until(async () => (await fetch(`${url}/-/ready`)).ok);
  const { code, stdout, stderr } = await say(doctor, { config });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/\n0 failed, 0 warnings, \d+ unknown, \d+ ok\n$/);
  expect(stdout).toContain('\nok      store: a daemon is running on it, and is left alone\n');
  expect((await fetch(`${url}/-/ready`)).ok).toBe(true);
  daemon.kill('SIGTERM');
  expect((await daemon.ended).code).toBe(0);
  expect((await say(doctor, { config })).stdout).toContain('\nok      store: no daemon is running on it\n');
});
