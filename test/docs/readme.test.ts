// Tests that the program accepts the commands and configurations in the README.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { loadSettings } from '../../src/daemon/settings.ts';
import { createFolder } from '../config/support.ts';
import { codeWordsOf, ROOT, tableRowsOf, textOf } from './documents.ts';

const README = textOf('README.md');

test('the README has every command, and no other', async () => {
  const existing = await commandsIn([]);
  const documented = tableRowsOf(README).flatMap(
    ({ command = '' }) => /^[a-z-]+( [a-z]+)?/.exec(codeWordsOf(command)[0] ?? '')?.[0] ?? [],
  );
  expect(documented.toSorted()).toEqual(existing.toSorted());
});

/** Returns all commands, such as `store check`, as --help lists them. A group of commands has no options of its own. */
const commandsIn = async (words: readonly string[]): Promise<string[]> => {
  const args = ['src/main.ts', ...words, '--help'];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT });
  const [, list] = stdout.split('\nCommands:\n');
  if (list === undefined) return [words.join(' ')];
  const found: string[] = [];
  for (const [, name = '', rest = ''] of list.matchAll(/^ {2}([a-z][a-z-]*) (.*)$/gm)) {
    if (name === 'help') continue;
    const command = [...words, name];
    found.push(...(rest.startsWith('[options]') ? [command.join(' ')] : await commandsIn(command)));
  }
  return found;
};

test('the first screen shows how to try, test and run it', () => {
  const [firstScreen = ''] = README.split(/^## /m);
  const blocks = [...firstScreen.matchAll(/```sh\n(.*?)\n```/gs)].map(([, block]) => block);
  expect(blocks).toEqual([
    'npm ci && npm start',
    'npm ci && npm test',
    'npm run proxywatch -- run --config config.yaml',
  ]);
});

test('its configuration loads, with and without proxy tests', () => {
  const [account = '', tests = ''] = [...README.matchAll(/```yaml\n(.*?)```/gs)].map(
    ([, block = '']) => block,
  );
  const folder = createFolder({ 'account.yaml': account, 'tests.yaml': account + tests });
  const env = { PROXY_PUBLIC_KEY: 'public', PROXY_PRIVATE_KEY: 'private', PROXY_PASSWORD: 'password' };
  const testsOf = (name: string) => loadSettings(join(folder, name), env).config.accounts[0]?.proxy_tests;
  expect(testsOf('account.yaml')).toBe(false);
  expect(testsOf('tests.yaml')).toMatchObject({ proxies: [{ name: 'fr-1' }] });
});
