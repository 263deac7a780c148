// Tests every kind of mistake: test/bad-config/ has a small invalid file for each, next to its exact error.

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { ConfigError } from '../../src/config/config-error.ts';
import { loadConfig } from '../../src/config/load.ts';
import { loadSettings } from '../../src/daemon/load-settings.ts';
import { exampleSchema } from './example-schema.ts';

const FOLDER = join(import.meta.dirname, '../bad-config');
const ENVIRONMENT = { EMPTY: '', RATE: 'hunter2', TOKEN: 'hunter2' };

const names = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => name.slice(0, -'.yaml'.length));

/** The mistakes in this folder need the schema of the whole configuration. */
const SETTINGS_FOLDER = join(FOLDER, 'settings');

test.each(names)('%s', (name) => {
  const expected = readFileSync(join(FOLDER, `${name}.expected.txt`), 'utf8');
  expect(`${mistakesOf(join(FOLDER, `${name}.yaml`))}\n`).toBe(expected);
});

const mistakesOf = (file: string): string => {
  try {
    if (dirname(file) === SETTINGS_FOLDER) loadSettings(file, ENVIRONMENT);
    else loadConfig(file, exampleSchema, ENVIRONMENT);
  } catch (error) {
    if (error instanceof ConfigError) return error.message.replaceAll(`${dirname(file)}/`, '');
    throw error;
  }
  return 'no mistake';
};
