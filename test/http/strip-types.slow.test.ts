// Tests that a daemon from a checkout serves the status page without a warning of Node.js on standard error.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { getText, Program } from '../cli/program.ts';
import { configText } from '../cli/run-command.ts';
import { createFolder } from '../config/support.ts';

const OFF = { traffic: false, residential_ledger: false, proxy_users: false, reconciliation: false };

test('the page of a checkout has no types, and standard error stays empty', async () => {
  const provider = { baseUrl: 'http://127.0.0.1:9/1.0', publicKey: 'public', privateKey: 'private' };
  const account = { ...OFF, services: {} };
  const text = configText(provider, account, { store: { path: 'store.db' } });
  await using program = Program.start([
    'run',
    '--config',
    join(createFolder({ 'config.yaml': text }), 'config.yaml'),
  ]);
  const url = await program.url();
  const [, script = 'none'] = /src="([^"]+\.ts)"/.exec(await getText(`${url}/`)) ?? [];
  expect(await getText(`${url}/${script}`)).not.toContain(': string');
  program.kill('SIGTERM');
  expect(await program.ended).toEqual({ code: 0, signal: null });
  expect(program.stderr).toBe('');
});
