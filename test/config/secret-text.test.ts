// Tests that a secret is cleaned in one way from a file, a variable and the configuration, and never quoted in a mistake.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listSilences } from '../../src/cli/silence.ts';
import { loadConfig } from '../../src/config/load.ts';
import { objectWithSecrets, secret } from '../../src/config/primitives.ts';
import { runCommand } from '../cli/run-command.ts';
import { configErrorOf, createFolder } from './support.ts';

const schema = objectWithSecrets({}, { key: secret() });

/** The three ways to give the secret, which is also in a file and in a variable. */
const WAYS = [(text: string) => `key: ${JSON.stringify(text)}`, () => `key: $\{KEY}`, () => 'key_file: key'];

const loadedIn = (way: (typeof WAYS)[number], text: string) => {
  const folder = createFolder({ 'config.yaml': way(text), key: text });
  return { folder, key: () => loadConfig(join(folder, 'config.yaml'), schema, { KEY: text }).config.key };
};

test.each(['canary', 'canary\n', 'canary\r\n', 'can ary'])('%j is a secret in each way', (text) => {
  for (const way of WAYS) expect(loadedIn(way, text).key().reveal()).toBe(text.trimEnd());
});

test('a block of YAML ends with a newline, which is no part of the secret', () => {
  const folder = createFolder({ 'config.yaml': 'key: |\n  canary\n' });
  expect(loadConfig(join(folder, 'config.yaml'), schema, {}).config.key.reveal()).toBe('canary');
});

const MISTAKES = [
  ['\ufeffcanary', 'a text with a byte order mark at its beginning; remove the mark'],
  [' canary', 'a text with a blank or a line break at its beginning; remove it'],
  ['canary\t', 'a text with a blank or a line break at its end; remove it'],
  ['canary \n', 'a text with a blank or a line break at its end; remove it'],
  ['canary\n\n', 'a text with a blank or a line break at its end; remove it'],
  ['canary\u00a0', 'a text with a blank or a line break at its end; remove it'],
] as const;

test.each(MISTAKES)('%j is a mistake in each way', (text, mistake) => {
  for (const way of WAYS) {
    const { message } = configErrorOf(loadedIn(way, text).key);
    expect(message).toMatch(new RegExp(`: (the content of the file is )?${mistake}`));
    expect(message).not.toContain('canary');
  }
});

test('a file that gets blanks while the daemon runs keeps the last value', () => {
  const { folder, key } = loadedIn(() => 'key_file: key', 'canary\n');
  const loaded = key();
  writeFileSync(join(folder, 'key'), ' other\n');
  expect(loaded.reveal()).toBe('canary');
  writeFileSync(join(folder, 'key'), 'another\n');
  expect(loaded.reveal()).toBe('another');
});

test('the file of a password for commands follows the same rules', async () => {
  const folder = createFolder({ password: 'canary \n' });
  const options = { url: 'http://127.0.0.1:9', user: 'anna', passwordFile: join(folder, 'password') };
  const { code, stderr } = await runCommand(listSilences, options);
  expect([code, stderr]).toEqual([
    1,
    `error: ${folder}/password: the content of the file is a text with a blank or a line break at its end; remove it\n`,
  ]);
});
