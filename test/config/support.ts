// Writes configuration files to temporary folders and loads them.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { z } from 'zod';
import { ConfigError } from '../../src/config/config-error.ts';
import type { Environment } from '../../src/config/environment.ts';
import { loadConfig } from '../../src/config/load.ts';

/**
 * Writes the files into a new folder, which is removed after the test, and returns its path. A test that runs beside others must give the `onTestFinished` of its own
 * context: the imported one can belong to another of them.
 */
export const createFolder = (
  files: Readonly<Record<string, string>>,
  onFinished: (remove: () => void) => void = onTestFinished,
): string => {
  const folder = mkdtempSync(join(tmpdir(), 'proxywatch-config-'));
  onFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
};

export const loadText = <S extends z.ZodType>(text: string, schema: S, env: Environment = {}) =>
  loadConfig(join(createFolder({ 'config.yaml': text }), 'config.yaml'), schema, env);

export const configErrorOf = (load: () => unknown): ConfigError => {
  try {
    load();
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('expected a ConfigError');
};
