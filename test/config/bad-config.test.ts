// Every kind of mistake: one tiny bad file each in test/bad-config/, with its exact error beside it.

import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { ConfigError } from '../../src/config/config-error.ts';
import { loadConfig } from '../../src/config/load.ts';
import { loadSettings } from '../../src/settings.ts';
import { exampleSchema } from './example-schema.ts';

const FOLDER = join(import.meta.dirname, '../bad-config');
const ENVIRONMENT = { EMPTY: '', RATE: 'hunter2', TOKEN: 'hunter2' };

const names = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => name.slice(0, -'.yaml'.length));

/** Mistakes that the schema alone can't tell are those of the real configuration. */
const OF_SETTINGS = /^settings-/;

test.each(names)('%s', (name) => {
  const expected = readFileSync(join(FOLDER, `${name}.expected.txt`), 'utf8');
  expect(`${mistakesOf(join(FOLDER, `${name}.yaml`))}\n`).toBe(expected);
});

const mistakesOf = (file: string): string => {
  try {
    if (OF_SETTINGS.test(basename(file))) loadSettings(file, ENVIRONMENT);
    else loadConfig(file, exampleSchema, ENVIRONMENT);
  } catch (error) {
    if (error instanceof ConfigError) return error.message.replaceAll(`${FOLDER}/`, '');
    throw error;
  }
  return 'no mistake';
};
