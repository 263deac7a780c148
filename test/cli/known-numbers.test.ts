// Tests that estimates use the numbers of users and proxies that the store has, and otherwise assume them.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkConfig } from '../../src/cli/check-config.ts';
import { createFolder } from '../config/support.ts';
import { Harness } from '../support/harness.ts';
import { configText, runCommand } from './run-command.ts';

const ACCOUNT = {
  traffic: false,
  residential_ledger: false,
  reconciliation: false,
  proxy_users: { schedule: '0 * * * *' },
  inventory: { schedule: '0 * * * *' },
  proxy_tests: {
    schedule: '0 * * * *',
    urls: ['https://www.example.com/', 'https://shop.example/'],
    proxies: [{ search: { proxy_type: 'isp' } }],
  },
};

const check = async (harness: Harness, store: object, account: object = ACCOUNT) => {
  const text = configText(harness.simulator, { ...account }, { store });
  const config = join(createFolder({ 'config.yaml': text, 'damaged.db': 'no store' }), 'config.yaml');
  const { code, stdout } = await runCommand(checkConfig, { config });
  expect(code).toBe(0);
  return stdout;
};

test('the estimate uses the numbers of the store', async () => {
  await using harness = await Harness.build({
    now: '2026-07-06T12:00:30Z',
    scenario: { start: '2026-07-06T00:00:00Z', users: 230, proxies: 40, deleted_user_ratio: 0 },
    account: ACCOUNT,
  });
  const isp = (await harness.app.store.sourceProxies.of('main', 'http proxies of proxy_type isp')).length;
  expect(isp).toBeGreaterThan(0);

  const known = await check(harness, { path: harness.storePath });
  expect(known).toContain('the account has 230 proxy users, as in the store; each');
  expect(known).toContain('the account has 40 proxies, as in the store; each');
  expect(known).toContain(
    `the source "http proxies of proxy_type isp" has ${isp} proxies, as in the store\n`,
  );
  expect(known).toMatch(/\n {2}proxy_users +55 +2,530 /);

  const assumed = await check(harness, { path: 'missing.db' });
  expect(assumed).toContain('the account has 1,000 proxy users; each');
  expect(assumed).toContain('the account has 1,000 proxies; each');
  expect(assumed).toContain('the source "http proxies of proxy_type isp" has 100 proxies\n');

  const other = await check(harness, { path: harness.storePath }, { ...ACCOUNT, name: 'other' });
  expect(other).toContain('the account has 1,000 proxy users; each');

  const damaged = await check(harness, { path: 'damaged.db' });
  expect(damaged).toMatch(/\nwarning: the numbers in the store are unknown, and are assumed: .*damaged\.db/);
  expect(damaged).toContain('the account has 1,000 proxy users; each');
});
