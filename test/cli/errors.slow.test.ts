// Tests commands that cannot start: they print what an operator can act on, and exit with code 1.

import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkConfig } from '../../src/cli/check-config.ts';
import { simulate } from '../../src/cli/dev.ts';
import { backfill } from '../../src/cli/export.ts';
import { run } from '../../src/cli/run.ts';
import { backUpStore } from '../../src/cli/store.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { createFolder } from '../config/support.ts';
import { Program, runToEnd } from './program.ts';
import { runCommand, unwarnedConfigText } from './run-command.ts';

/** No process listens at this address; none of these commands sends a request. */
const PROVIDER = { baseUrl: 'http://127.0.0.1:9/1.0', publicKey: 'public', privateKey: 'private' };

const failure = (stderr: string) => ({ code: 1, stdout: '', stderr });

test.each([run, checkConfig])('a missing configuration: %o', async (command) => {
  const file = join(createFolder({}), 'config.yaml');
  expect(await runCommand(command, { config: file })).toEqual(
    failure(`${file}:1:1: cannot read this file (no such file)\n`),
  );
});

test.each([run, checkConfig])('all mistakes of a configuration at once: %o', async (command) => {
  const folder = createFolder({ 'config.yaml': 'server: {listen: here}\naccounts: []\nmore: 1\n' });
  const { code, stderr } = await runCommand(command, { config: join(folder, 'config.yaml') });
  expect(code).toBe(1);
  expect(stderr.replaceAll(`${folder}/`, '').split('\n')).toEqual([
    'config.yaml:1:18: server.listen: expected an address such as 127.0.0.1:9876, [::1]:9876 or :9876, found "here"',
    'config.yaml:2:11: accounts: expected at least one account, found an empty list',
    'config.yaml:3:1: more: unknown key',
    '',
  ]);
});

test('a port that is in use', async () => {
  await using server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const listen = `127.0.0.1:${port}`;
  const folder = createFolder({ 'config.yaml': unwarnedConfigText(PROVIDER, {}, { server: { listen } }) });
  const inUse = failure(`error: cannot listen on ${listen}: another process listens there already\n`);
  expect(await runCommand(run, { config: join(folder, 'config.yaml') })).toEqual(inUse);
  expect(await runCommand(simulate, { listen: { host: '127.0.0.1', port } })).toEqual(inUse);
});

test('a store that another daemon uses', async () => {
  const folder = createFolder({
    'config.yaml': unwarnedConfigText(PROVIDER, {}, { store: { path: 'store.db' } }),
  });
  const path = join(folder, 'store.db');
  using _ = openSqliteStore({ path, firstStepHoldMs: 0 });
  expect(await runCommand(run, { config: join(folder, 'config.yaml') })).toEqual(
    failure(
      `error: ${path}: another proxywatch is using this store. Stop the other proxywatch, or set store.path to another file\n`,
    ),
  );
});

test.each([
  [
    'a file that is not a store',
    'other.db',
    'this file is not a store of proxywatch, or its first bytes are damaged. If store.path is wrong, correct it. Otherwise restore a backup with "proxywatch store restore"',
  ],
  [
    'a folder that cannot be created',
    'other.db/store.db',
    'proxywatch cannot create the folder of the store. Create the folder, or set store.path to another path',
  ],
])('%s', async (_, path, reason) => {
  const folder = createFolder({
    'other.db': 'notes of somebody else, longer than the header of a database would be',
    'config.yaml': unwarnedConfigText(PROVIDER, {}, { store: { path } }),
  });
  expect(await runCommand(run, { config: join(folder, 'config.yaml') })).toEqual(
    failure(`error: ${join(folder, path)}: ${reason}\n`),
  );
});

test('a backup into a folder that does not exist', async () => {
  const folder = createFolder({
    'config.yaml': unwarnedConfigText(PROVIDER, {}, { store: { path: 'store.db' } }),
  });
  openSqliteStore({ path: join(folder, 'store.db'), firstStepHoldMs: 0 })[Symbol.dispose]();
  const missing = join(folder, 'backups');
  const file = join(missing, 'store.db');
  expect(await runCommand(backUpStore, { config: join(folder, 'config.yaml'), file })).toEqual(
    failure(
      `error: ${file}: the folder ${missing} does not exist. Create it with "mkdir -p ${missing}", or give a file in another folder\n`,
    ),
  );
});

test('a history for a folder that does not exist', async () => {
  const folder = createFolder({
    'config.yaml': unwarnedConfigText(PROVIDER, {}, { store: { path: 'store.db' } }),
  });
  openSqliteStore({ path: join(folder, 'store.db'), firstStepHoldMs: 0 })[Symbol.dispose]();
  const output = join(folder, 'missing', 'history.om');
  const options = { config: join(folder, 'config.yaml'), output, from: () => 0, to: () => 1 };
  const { code, stderr } = await runCommand(backfill, options);
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /^error: \S+\/history\.om: the folder \S+\/missing does not exist\. Create it with "mkdir -p /,
  );
});

test('a scenario with mistakes', async () => {
  const folder = createFolder({ 'scenario.yaml': 'users: many\nproxys: 3\n' });
  const listen = { host: '127.0.0.1', port: 0 };
  const { code, stderr } = await runCommand(simulate, { listen, scenario: join(folder, 'scenario.yaml') });
  expect(code).toBe(1);
  expect(stderr.replaceAll(`${folder}/`, '').split('\n')).toEqual([
    'scenario.yaml:1:8: users: expected a number, found "many"',
    'scenario.yaml:2:1: proxys: unknown key; did you mean "proxies"?',
    '',
  ]);
});

test.each([
  [['reconcile', '--to', '2026-07-01'], "error: required option '--from <date>' not specified"],
  [['schema', '--helpp'], "error: unknown option '--helpp'\n(Did you mean --help?)"],
  [['rum'], "error: unknown command 'rum'\n(Did you mean run?)"],
  [
    ['demo', '--listen', 'here'],
    "error: option '--listen <address>' argument 'here' is invalid. Expected an address such as 127.0.0.1:9876, [::1]:9876 or :9876.",
  ],
])('wrong arguments: %j', async (args, message) => {
  expect(await runToEnd(...args)).toEqual({
    ...failure(`${message}\n(Add --help to see the options.)\n`),
    signal: null,
  });
});

test('without --config, a command takes ./config.yaml', async () => {
  const empty = createFolder({});
  await using program = Program.start(['check-config'], { cwd: empty });
  expect(await program.ended).toMatchObject({ code: 1 });
  expect(program.stderr).toBe(
    './config.yaml:1:1: cannot read this file (no such file)\nGive the path of your configuration with --config, or create one with "proxywatch init".\n',
  );
  const text = 'accounts: [{name: main, public_key: a, private_key: b}]';
  await using found = Program.start(['check-config'], { cwd: createFolder({ 'config.yaml': text }) });
  expect(await found.ended).toMatchObject({ code: 0 });
  expect(found.stdout).toMatch(/^\.\/config\.yaml: no mistakes\n/);
});

test('--version is that of the package, and --help names every command', async () => {
  expect((await runToEnd('--version')).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  const { code, stdout } = await runToEnd('--help');
  expect(code).toBe(0);
  for (const name of ['run', 'demo', 'check-config', 'export', 'dev']) expect(stdout).toContain(`  ${name} `);
});
