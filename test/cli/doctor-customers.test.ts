// Tests what doctor says about the customers of accounts, and about the customer of the history in the store.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { doctor } from '../../src/cli/doctor/doctor.ts';
import { createFolder } from '../config/support.ts';
import { startFakeProvider } from '../support/fake-provider.ts';
import { configText, runCommand } from './run-command.ts';

const OLDER_STORE = join(import.meta.dirname, '../fixtures/stores/v4.db.gz');
const OFF = { traffic: false, residential_ledger: false, reconciliation: false };

/** Runs doctor for accounts whose keys belong to customer 4711, and returns its lines about customers. */
const customerLines = async (names: readonly string[], storeFile?: string): Promise<string[]> => {
  await using provider = await startFakeProvider(() => ({
    body: { data: [{ customer_id: 4711, proxy_user_id: 'alice' }], item_count: 1, page: 1, total_count: 1 },
  }));
  const keys = { ...provider, publicKey: 'public', privateKey: 'private' };
  const config = JSON.parse(configText(keys, OFF, { store: { path: 'store.db' } }));
  config.accounts = names.map((name) => ({ ...config.accounts[0], name }));
  const folder = createFolder({ 'config.yaml': JSON.stringify(config) });
  if (storeFile) writeFileSync(join(folder, 'store.db'), gunzipSync(readFileSync(storeFile)));
  const { stdout } = await runCommand(doctor, { config: join(folder, 'config.yaml') });
  return stdout.split('\n').filter((line) => line.includes('customer 4711'));
};

test('the lines of two accounts with one customer agree', async () => {
  const newAccount = 'customer 4711; the store has no history of it yet';
  expect(await customerLines(['main'])).toEqual([
    `ok      main: ${newAccount}; no other configured account uses it`,
  ]);
  expect(await customerLines(['main', 'shop'])).toEqual([
    `ok      main: ${newAccount}; account shop also uses it`,
    'warning shop: customer 4711; account main also uses it. proxywatch reads all data of this customer twice. Remove one of the two accounts, or turn off the collectors of one.',
  ]);
});

test('the customer of the history in a store of an older schema is unknown', async () => {
  expect(await customerLines(['main'], OLDER_STORE)).toEqual([
    'unknown main: the keys belong to customer 4711; doctor cannot read which customer the history in the store belongs to, because the store has an older schema. The daemon upgrades the store when it starts. Run doctor again after that.',
  ]);
});
