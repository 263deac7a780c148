// Tests what doctor says about the customers of accounts, and about the history in the store: whose it is, and whether it
// was moved to another store.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { doctor } from '../../src/cli/doctor/doctor.ts';
import { moveOut } from '../../src/store/sqlite/move/move-out.ts';
import { createFolder } from '../config/support.ts';
import { openStore } from '../store/support.ts';
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

test('an account that was moved to another store gets a warning, because no daemon runs it here', async () => {
  const keys = { baseUrl: 'http://127.0.0.1:1', publicKey: 'public', privateKey: 'private' };
  const folder = createFolder({ 'config.yaml': configText(keys, OFF, { store: { path: 'store.db' } }) });
  const path = join(folder, 'store.db');
  {
    using store = openStore(path);
    for (const account of ['main', 'removed']) await store.accounts.claimCustomer(account, 4711);
  }
  const now = Date.parse('2026-07-10T12:00:00Z');
  const { signal } = new AbortController();
  for (const account of ['main', 'removed'])
    await moveOut(path, join(folder, `${account}-moved.db`), {
      ...{ account, overwrite: false, firstStepHoldMs: 0, now, signal },
    });
  const { stdout } = await runCommand(doctor, { config: join(folder, 'config.yaml') });
  expect(stdout.split('\n').filter((line) => line.includes('was moved'))).toEqual([
    `warning main: it was moved out of ${path} at 2026-07-10T12:00:00.000Z, so a daemon on this store does not run it. Take it in at its new store with "store restore --merge". If another shard runs it, set PROXYWATCH_SHARD to the shard of this store, or pin the account with the setting shard.`,
  ]);
});
