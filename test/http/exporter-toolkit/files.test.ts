// Tests that proxywatch judges web.yml files as exporter-toolkit's own tests do, so that exporters can share one file.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ConfigError } from '../../../src/config/config-error.ts';
import { loadWebConfig } from '../../../src/http/web-config/load.ts';
import { createWebFolder } from '../web-config-support.ts';
import { SUITE_FILES, type SuiteFile } from './files.ts';

const VALID = 'valid';

const verdictOn = (file: string): string => {
  try {
    loadWebConfig(file);
    return VALID;
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
};

test.each(Object.entries<SuiteFile>(SUITE_FILES))('%s', (_, { text, mistake }) => {
  const file = join(createWebFolder(text, 'server-rsa'), 'web.yml');
  expect(verdictOn(file)).toMatch(mistake ?? /^valid$/);
});

test('a missing file', () => {
  expect(verdictOn(join(createWebFolder(''), 'missing.yml'))).toMatch(
    /cannot read this file \(no such file\)/,
  );
});

test('there are all of them', () => {
  expect(Object.keys(SUITE_FILES)).toHaveLength(45);
});
