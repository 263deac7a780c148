// Tests what doctor says about the customers of accounts, and about the history in the store: whose it is, and whether it
// was moved to another store.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import SQLite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { doctor } from '../../src/cli/doctor/doctor.ts';
import { MIGRATIONS } from '../../src/store/sqlite/migrations/migrations.ts';
import { moveOut } from '../../src/store/sqlite/move/move-out.ts';
import { createFolder } from '../config/support.ts';
import { openStore } from '../store/support.ts';
import { startFakeProvider } from '../support/fake-provider.ts';
import { configText, runCommand } from './run-command.ts';

const STORES = join(import.meta.dirname, '../fixtures/stores');
const OLDER_SCHEMAS = MIGRATIONS.slice(1).map((_, index) => index + 1);
const OFF = { traffic: false, residential_ledger: false, reconciliation: false };

/** Runs doctor for accounts with keys of the customer, and returns its lines. `edit` changes the store before. */
const doctorLines = async (
  names: readonly string[],
  customer_id = 4711,
  edit: (path: string) => void = () => {},
): Promise<string[]> => {
  await using provider = await startFakeProvider(() => ({
    body: { data: [{ customer_id, proxy_user_id: 'alice' }], item_count: 1, page: 1, total_count: 1 },
  }));
  const keys = { ...provider, publicKey: 'public', privateKey: 'private' };
  const config = JSON.parse(configText(keys, OFF, { store: { path: 'store.db' } }));
  config.accounts = names.map((name) => ({ ...config.accounts[0], name }));
  const folder = createFolder({ 'config.yaml': JSON.stringify(config) });
  const path = join(folder, 'store.db');
  edit(path);
  const before = existsSync(path) && readFileSync(path);
  const { stdout } = await runCommand(doctor, { config: join(folder, 'config.yaml') });
  expect(existsSync(path) && readFileSync(path)).toEqual(before);
  return stdout.replaceAll(`${folder}/`, '').split('\n');
};

/** The lines about accounts whose keys belong to customer 4711. */
const customerLines = async (names: readonly string[]): Promise<string[]> =>
  (await doctorLines(names)).filter((line) => line.includes('customer 4711'));

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

const putFixture = (schema: number) => (path: string) =>
  writeFileSync(path, gunzipSync(readFileSync(join(STORES, `v${schema}.db.gz`))));

test.each(OLDER_SCHEMAS)('the history in a store of schema %i is read without an upgrade', async (schema) => {
  const own = await doctorLines(['main', 'new'], 4711, putFixture(schema));
  expect(own).toContain(
    `warning store: store.db has schema ${schema} of an earlier version, and the daemon upgrades it to schema ${MIGRATIONS.length} at its next start. Make a backup first: older versions cannot open the upgraded store.`,
  );
  expect(own).toContain('ok      main: customer 4711; account new also uses it');
  expect(await doctorLines(['main'], 4712, putFixture(schema))).toContain(
    'failed  main: the keys belong to customer 4712, but the history in the store belongs to customer 4711. Give the account another name, under which a new history begins.',
  );
});

test('a store that no version can upgrade fails, and its history is unknown', async () => {
  const lines = await doctorLines(['main'], 4711, (path) => {
    putFixture(6)(path);
    const sql = new SQLite(path);
    sql.exec('DROP TABLE account_move');
    sql.close();
  });
  expect(lines).toContainEqual(
    expect.stringMatching(/^failed {2}store: .*lacks the table account_move.*Or move the file away/),
  );
  expect(lines).toContain(
    'unknown main: the keys belong to customer 4711; doctor cannot read which customer the history in the store belongs to',
  );
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
