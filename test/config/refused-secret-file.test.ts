// Tests that a changed file of a secret that is not valid is logged once for each change, without the secret.

import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { logSecretFiles } from '../../src/cli/logger.ts';
import { loadConfig } from '../../src/config/load.ts';
import { objectWithSecrets, secret } from '../../src/config/primitives.ts';
import { silentLog } from '../../src/lib/log.ts';
import { createFolder } from './support.ts';

const schema = objectWithSecrets({}, { key: secret(), again: secret() });

/** Two settings name the same file. `reveal` reads both, one of them twice. */
const load = () => {
  const folder = createFolder({ 'config.yaml': 'key_file: key\nagain_file: key\n', key: 'canary-1\n' });
  const file = join(folder, 'key');
  const { key, again } = loadConfig(join(folder, 'config.yaml'), schema, {}).config;
  const lines: string[] = [];
  const warn = (_fields: object, message: string): void =>
    void lines.push(message.replace(file, 'FILE').replace(/: the changed .* in use: /, ' | '));
  const subscription = logSecretFiles({ ...silentLog, warn });
  onTestFinished(() => subscription[Symbol.dispose]());
  return { file, lines, reveal: () => new Set([key, again, key].map((each) => each.reveal())) };
};

test('each refused change is logged once, whatever is wrong, and the former secret stays', () => {
  const { file, lines, reveal } = load();
  for (const text of ['canary-22\n\n', '\ufeffcanary-333\n', '\n']) {
    writeFileSync(file, text);
    expect(reveal()).toEqual(new Set(['canary-1']));
  }
  expect(lines).toEqual([
    'FILE | the content of the file is a text with a blank or a line break at its end; remove it',
    'FILE | the content of the file is a text with a byte order mark at its beginning; remove the mark',
    'FILE | expected a file that contains text',
  ]);
  writeFileSync(file, 'canary-4444\n');
  expect(reveal()).toEqual(new Set(['canary-4444']));
  expect(lines).toHaveLength(3);
});

test('a file that cannot be read after a change is logged too, and a missing one is not', () => {
  const { file, lines, reveal } = load();
  renameSync(file, `${file}.old`);
  expect(reveal()).toEqual(new Set(['canary-1']));
  mkdirSync(file);
  expect(reveal()).toEqual(new Set(['canary-1']));
  expect(lines).toEqual(['FILE | expected a readable file (it is a folder)']);
  rmSync(file, { recursive: true });
  renameSync(`${file}.old`, file);
  expect(reveal()).toEqual(new Set(['canary-1']));
  expect(lines).toHaveLength(1);
});
