// Checks that a configuration file is loaded or has mistakes that a reader can use, in bounded time.

import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { ConfigError } from '../../src/config/config-error.ts';

/** Far longer than any file of the tests takes, but shorter than work that grows with the square of the text. */
const MAX_MS = 20_000;

/** Returns what `load` returns, or undefined after readable mistakes, which must not contain `secret`. */
export const loadedOrReadable = <T>(
  load: (file: string) => T,
  file: string,
  secret: string,
): T | undefined => {
  const startedAt = performance.now();
  try {
    return load(file);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    checkMistakes(error, readFileSync(file, 'utf8'), secret);
    return undefined;
  } finally {
    expect(performance.now() - startedAt).toBeLessThan(MAX_MS);
  }
};

const checkMistakes = ({ mistakes, message: whole }: ConfigError, text: string, secret: string): void => {
  expect(mistakes.length).toBeGreaterThan(0);
  expect(whole).not.toContain(secret);
  const lines = text.split('\n').length;
  for (const { line, column, message } of mistakes) {
    expect(line).toBeGreaterThan(0);
    expect(line).toBeLessThanOrEqual(lines);
    expect(column).toBeGreaterThan(0);
    // One line without characters that change how a terminal shows it.
    expect(message).toMatch(/^[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]{8,600}$/u);
    const ownWords = message.replace(/, found .*$/, '');
    expect(ownWords).not.toMatch(/undefined|\[object|NaN|another (?:value|form)/);
  }
};
