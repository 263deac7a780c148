// Every kind of mistake: one tiny bad file each in test/bad-config/, with its exact error beside it.

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { ConfigError } from '../../src/config/config-error.ts';
import { loadConfig } from '../../src/config/load.ts';
import { loadSettings } from '../../src/daemon/settings.ts';
import { exampleSchema } from './example-schema.ts';

const FOLDER = join(import.meta.dirname, '../bad-config');
const ENVIRONMENT = { EMPTY: '', RATE: 'hunter2', TOKEN: 'hunter2' };

const names = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => name.slice(0, -'.yaml'.length));

/** These mistakes need the schema of the whole configuration. */
const OF_SETTINGS = join(FOLDER, 'settings');

test.each(names)('%s', (name) => {
  const expected = readFileSync(join(FOLDER, `${name}.expected.txt`), 'utf8');
  expect(`${mistakesOf(join(FOLDER, `${name}.yaml`))}\n`).toBe(expected);
});

const mistakesOf = (file: string): string => {
  try {
    if (dirname(file) === OF_SETTINGS) loadSettings(file, ENVIRONMENT);
    else loadConfig(file, exampleSchema, ENVIRONMENT);
  } catch (error) {
    if (error instanceof ConfigError) return error.message.replaceAll(`${dirname(file)}/`, '');
    throw error;
  }
  return 'no mistake';
};
