// Tests that store backup writes the whole store to standard output, and nothing else.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import SQLite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { streamBackup } from '../../src/cli/store.ts';
import { checkFile } from '../../src/store/sqlite/file/check.ts';
import { createFolder } from '../config/support.ts';
import { openStore } from '../store/support.ts';
import { configText } from './run-command.ts';

const MAIN = join(import.meta.dirname, '../../src/main.ts');
const KEYS = { baseUrl: 'http://127.0.0.1:1', publicKey: 'public', privateKey: 'private' };

test('a store that a daemon has open arrives complete', { timeout: 30_000 }, async () => {
  const folder = createFolder({ 'config.yaml': configText(KEYS, {}, { store: { path: 'store.db' } }) });
  using store = openStore(join(folder, 'store.db'));
  await store.accounts.claimCustomer('main', 4711);
  const args = [MAIN, 'store', 'backup', '-', '--config', join(folder, 'config.yaml')];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { maxBuffer: 50e6 });
  expect([status, stderr.toString()]).toEqual([0, '']);
  const copy = join(folder, 'copy.db');
  writeFileSync(copy, stdout);
  expect([...checkFile(copy)].filter(({ damage }) => damage !== null)).toEqual([]);
  const sql = new SQLite(copy, { readonly: true });
  expect(sql.prepare('SELECT name, customer_id FROM account').raw().all()).toEqual([['main', 4711]]);
  sql.close();
});

test('a reader that closes the pipe leaves no copy of the store behind', { timeout: 30_000 }, async () => {
  const folder = createFolder({ 'config.yaml': configText(KEYS, {}, { store: { path: 'store.db' } }) });
  openStore(join(folder, 'store.db'))[Symbol.dispose]();
  const temporary = join(folder, 'tmp');
  mkdirSync(temporary);
  const args = [MAIN, 'store', 'backup', '-', '--config', join(folder, 'config.yaml')];
  const child = spawn(process.execPath, args, { env: { ...process.env, TMPDIR: temporary } });
  child.stdout.destroy();
  expect(await once(child, 'exit')).toEqual([1, null]);
  expect(readdirSync(temporary)).toEqual([]);
});

test('a terminal gets no backup', async () => {
  const stdout = Object.assign(new PassThrough(), { isTTY: true });
  const { signal } = new AbortController();
  await expect(streamBackup({ stdout, signal }, 'store.db')).rejects.toThrow('standard output is a terminal');
  expect(stdout.readableLength).toBe(0);
});
