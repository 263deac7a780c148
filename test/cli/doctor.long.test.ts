// Tests that doctor does not disturb a daemon that runs in another process.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { doctor } from '../../src/cli/doctor/doctor.ts';
import { startSimulator } from '../../src/simulator/simulator.ts';
import { createFolder } from '../config/support.ts';
import { Program, waitUntil } from './program.ts';
import { runCommand, unwarnedConfigText } from './run-command.ts';

test('a running daemon is not disturbed', { timeout: 60_000 }, async () => {
  await using simulator = await startSimulator({
    scenario: { users: 3, proxies: 2, pace: null },
    now: () => Date.now(),
  });
  const traffic = { catch_up: '1h', reread: '5m', deep_reread: { span: '1h' } };
  const others = { store: { path: 'store.db' } };
  const folder = createFolder({ 'config.yaml': unwarnedConfigText(simulator, { traffic }, others) });
  const config = join(folder, 'config.yaml');
  await using daemon = Program.start(['run', '--config', config]);
  const url = await daemon.url();
  await waitUntil(async () => (await fetch(`${url}/-/ready`)).ok);
  const { code, stdout, stderr } = await runCommand(doctor, { config });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/\n0 failed, 0 warnings, \d+ unknown, \d+ ok\n$/);
  expect(stdout).toContain('\nok      store: a daemon uses it, and doctor does not disturb the daemon\n');
  expect((await fetch(`${url}/-/ready`)).ok).toBe(true);
  daemon.kill('SIGTERM');
  expect((await daemon.ended).code).toBe(0);
  expect((await runCommand(doctor, { config })).stdout).toContain('\nok      store: no daemon uses it\n');
});
