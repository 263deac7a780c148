// Tests what the commands say that move an account from one store to another.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { backUpStore, restoreStore } from '../../src/cli/store.ts';
import { createFolder } from '../config/support.ts';
import { openStore } from '../store/support.ts';
import { configText, runCommand } from './run-command.ts';

const KEYS = { baseUrl: 'http://127.0.0.1:1', publicKey: 'public', privateKey: 'private' };

const setUp = async () => {
  const folder = createFolder({
    'old.yaml': configText(KEYS, {}, { store: { path: 'old.db' } }),
    'new.yaml': configText(KEYS, {}, { store: { path: 'new.db' } }),
  });
  const path = (name: string): string => join(folder, name);
  using store = openStore(path('old.db'));
  await store.accounts.claimCustomer('main', 4711);
  return path;
};

test('each command says what it did, and what to do next', async () => {
  const path = await setUp();
  const file = path('main.db');
  const out = await runCommand(backUpStore, { config: path('old.yaml'), file, account: 'main' });
  expect(out).toMatchObject({ code: 0, stderr: '' });
  expect(out.stdout.split('\n')).toEqual([
    expect.stringMatching(/main\.db: the account "main", moved out of .*old\.db, [\d.]+ MB$/),
    `no daemon runs the account on ${path('old.db')} any more`,
    `next: copy ${file} to the machine of the new store, stop the daemon there, and run with the store.path of the new store:`,
    `  proxywatch store restore ${file} --merge --config config.yaml`,
    '',
  ]);
  const takeIn = () => runCommand(restoreStore, { config: path('new.yaml'), file, merge: true });
  expect((await takeIn()).stdout.split('\n')).toEqual([
    `${path('new.db')}: merged the account "main" from ${file}`,
    'the counters of the account continue when the daemon starts',
    `delete ${file}, so that nobody merges it into a second store`,
    '',
  ]);
  expect(await takeIn()).toMatchObject({
    code: 0,
    stdout: `${path('new.db')}: the account "main" is already in this store from ${file}. Nothing was changed\n`,
  });
});

test('an account is not written to standard output, where it could get lost', async () => {
  const path = await setUp();
  const move = await runCommand(backUpStore, { config: path('old.yaml'), file: '-', account: 'main' });
  expect(move).toEqual({
    ...{ code: 1, stdout: '' },
    stderr: 'error: - is not possible with --account. Give the name of a file to create\n',
  });
  using store = openStore(path('old.db'));
  expect(await store.accounts.movedOut()).toEqual([]);
});
