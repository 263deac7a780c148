// Tests doctor: checks that could not be made are neither ok nor failed.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { doctor } from '../../src/cli/doctor/doctor.ts';
import { createFolder } from '../config/support.ts';
import { startFakeProvider } from '../support/fake-provider.ts';
import { runCommand, unwarnedConfigText } from './run-command.ts';

/** The answer of an account that has no data yet. */
const EMPTY = { data: [], item_count: 0, message: '', page: 1, per_page: 100, total_count: 0 };
const NO_TRAFFIC = {
  intervals: [],
  ...{ total_bytes: 0, total_requests: 0, total_successful: 0, total_error: 0 },
};

test('reports unknown for checks that were not made or were not conclusive', async () => {
  await using provider = await startFakeProvider(({ path }) => ({
    body: path.endsWith('/graph') ? { data: NO_TRAFFIC, message: '' } : EMPTY,
  }));
  const account = {
    services: {},
    proxy_tests: { urls: ['https://example.com/'], proxies: [{ proxy: '192.0.2.1:8000:alice:password' }] },
  };
  const keys = { publicKey: 'public-key', privateKey: 'private-key' };
  const text = unwarnedConfigText({ baseUrl: provider.baseUrl, ...keys }, account, {
    store: { path: 'store.db' },
  });
  const config = join(createFolder({ 'config.yaml': text }), 'config.yaml');
  const { code, stdout } = await runCommand(doctor, { config });
  const unknown = stdout.split('\n').filter((line) => line.startsWith('unknown '));
  expect(unknown).toEqual([
    expect.stringMatching(
      /^unknown main: proxy_test_run\/create: not tried, because each test costs test runs\. /,
    ),
    expect.stringMatching(
      /^unknown main: service\/retrieve: not tried, because the configuration and the account have no item to request$/,
    ),
    expect.stringMatching(
      /^unknown main: time zone: doctor could not check whether it is UTC, because there was no traffic/,
    ),
    'unknown main: the customer is not known, because the account has no proxy user that names it',
  ]);
  expect(stdout).toMatch(/\n0 failed, 0 warnings, 4 unknown, \d+ ok\n$/);
  expect(code).toBe(0);
});
