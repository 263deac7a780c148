// Tests that only their owner can read the files that the daemon and the commands write, even if the system gives new
// files to everyone.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { backfill } from '../../src/cli/export.ts';
import { backUpStore, restoreStore } from '../../src/cli/store.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { createFolder } from '../config/support.ts';
import { Program, waitUntil } from './program.ts';
import { configText, runCommand } from './run-command.ts';

/** No process listens at this address. */
const PROVIDER = { baseUrl: 'http://127.0.0.1:9/1.0', publicKey: 'public', privateKey: 'private' };
const STORE = 'new/data/store.db';

let umask = 0;
beforeAll(() => {
  umask = process.umask(0);
});
afterAll(() => {
  process.umask(umask);
});

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

const modesIn = (folder: string): Record<string, string> =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, modeOf(join(folder, name))]));

const linesOf = ({ stdout }: Program, words: string) =>
  stdout
    .split('\n')
    .filter((line) => line.includes(words))
    .map((line) => JSON.parse(line) as { readonly level: unknown; readonly files: readonly string[] });

const makeStore = (): { folder: string; path: string; config: string } => {
  const folder = createFolder({ 'config.yaml': configText(PROVIDER, {}, { store: { path: STORE } }) });
  return { folder, path: join(folder, STORE), config: join(folder, 'config.yaml') };
};

test('the files of a daemon, also after an older version created them for everyone', {
  timeout: 120_000,
}, async () => {
  const { folder, path, config } = makeStore();
  const data = join(folder, 'new/data');
  const names = ['', '-shm', '-wal', '.lock', '.lock-journal', '.sequence'].map((end) => `store.db${end}`);
  const allTo = (mode: string) => Object.fromEntries(names.map((name) => [name, mode]));
  {
    await using daemon = Program.start(['run', '--config', config]);
    await daemon.url();
    expect(modesIn(data)).toEqual(allTo('600'));
    expect([data, join(folder, 'new')].map(modeOf)).toEqual(['700', '700']);
    expect(linesOf(daemon, 'other users')).toEqual([]);
    daemon.kill('SIGKILL');
    await daemon.ended;
  }
  chmodSync(data, 0o755);
  for (const name of readdirSync(data)) chmodSync(join(data, name), 0o644);
  const kept = `${path}.before-restore-2026-01-01T00-00-00.000Z`;
  writeFileSync(kept, '', { mode: 0o640 });
  for (const restricted of [[...names.map((name) => join(data, name)), kept], []]) {
    await using daemon = Program.start(['run', '--config', config]);
    await daemon.url();
    await waitUntil(() => linesOf(daemon, 'other users').length === Math.min(1, restricted.length));
    expect(modesIn(data)).toEqual({ ...allTo('600'), [kept.slice(data.length + 1)]: '600' });
    // The operator made the folder as it is now.
    expect(modeOf(data)).toBe('755');
    const files = linesOf(daemon, 'other users').flatMap((line) => line.files);
    expect(files.toSorted()).toEqual(restricted.toSorted());
    daemon.kill('SIGKILL');
    await daemon.ended;
  }
});

test('the files of commands, also in place of a file for everyone', async () => {
  const { folder, path, config } = makeStore();
  openSqliteStore({ path, firstStepHoldMs: 0 })[Symbol.dispose]();
  const [backup, output] = [join(folder, 'backup.db'), join(folder, 'history.om')];
  const isDone = async (result: ReturnType<typeof runCommand>) =>
    expect(await result).toMatchObject({ code: 0, stderr: '' });
  for (const overwrite of [false, true]) {
    await isDone(runCommand(backUpStore, { config, file: backup, overwrite }));
    await isDone(runCommand(backfill, { config, output, from: () => 0, to: () => 1 }));
    expect([backup, output].map(modeOf)).toEqual(['600', '600']);
    for (const file of [backup, output, path]) chmodSync(file, 0o666);
  }
  await isDone(runCommand(restoreStore, { config, file: backup }));
  const modes = modesIn(join(folder, 'new/data'));
  expect(Object.keys(modes)).toContainEqual(expect.stringContaining('before-restore'));
  expect(new Set(Object.values(modes))).toEqual(new Set(['600']));
});

/** Opens the store as another user, whom its owner allows everything. */
const PROGRAM = `
  const { openSqliteStore } = await import(process.argv[1]);
  const onRestricted = (modes) => console.log(JSON.stringify(modes));
  openSqliteStore({ path: process.argv[2], firstStepHoldMs: 0, onRestricted })[Symbol.dispose]();`;
const OTHER_USER = 65_532;

// Only root can start a process as another user.
test.runIf(process.getuid?.() === 0)('a store of another owner can be used, and is reported', async () => {
  const { folder, path } = makeStore();
  openSqliteStore({ path, firstStepHoldMs: 0 })[Symbol.dispose]();
  for (const part of [folder, join(folder, 'new'), join(folder, 'new/data')]) chmodSync(part, 0o777);
  const names = readdirSync(join(folder, 'new/data'));
  for (const name of names) chmodSync(join(folder, 'new/data', name), 0o666);
  const module = new URL('../../src/store/sqlite/sqlite-store.ts', import.meta.url).href;
  const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM, module, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
    uid: OTHER_USER,
    gid: OTHER_USER,
  });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  expect(code).toBe(0);
  expect(JSON.parse(output)).toMatchObject({ restricted: [], failed: expect.arrayContaining([path]) });
});
