// Fuzzes the configuration file: any text gives either settings or mistakes that say where and what is wrong.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { estimate } from '../../src/cli/check-config.ts';
import { loadSettings } from '../../src/daemon/load-settings.ts';
import type { Settings } from '../../src/daemon/settings.ts';
import { createFolder } from '../config/support.ts';
import { cases, FUZZ_TIMEOUT } from '../support/fuzz.ts';
import { anyText } from '../support/fuzzed-text.ts';
import { changed, changesOf, nastyYaml, yamlText } from '../support/fuzzed-yaml.ts';
import { loadedOrReadable } from '../support/readable-mistakes.ts';

const NOW = Date.parse('2026-07-05T12:00:00Z');
const CANARY = 'c4n4ry-0f-the-k3y';
const ENVIRONMENT = { PROXY_PUBLIC_KEY: 'public', PROXY_PRIVATE_KEY: CANARY, PROXY_PASSWORD: CANARY };
const EXAMPLE = readFileSync(join(import.meta.dirname, '../../config.example.yaml'), 'utf8');
/** The example with all optional settings. A setting that excludes another one makes it invalid, which is fine here. */
const WHOLE_EXAMPLE = EXAMPLE.replaceAll(/^( *)#(?=\S)/gm, '$1');

/** Values that passed the loader must not surprise the code after it. */
const checkSettings = (settings: Settings): void => {
  expect(settings.accounts.length).toBeGreaterThan(0);
  expect(estimate(settings, NOW).join('')).not.toMatch(/NaN|undefined|Infinity/);
};

const prototypeKeys = Object.getOwnPropertyNames(Object.prototype).toString();

const assertLoads = <T>(variants: fc.Arbitrary<T>, toText: (variant: T) => string, numRuns: number): void => {
  const file = join(createFolder({}), 'config.yaml');
  fc.assert(
    fc.property(variants, (variant) => {
      writeFileSync(file, toText(variant));
      const settings = loadedOrReadable((path) => loadSettings(path, ENVIRONMENT).config, file, CANARY);
      if (settings) checkSettings(settings);
      expect(Object.getOwnPropertyNames(Object.prototype).toString()).toBe(prototypeKeys);
    }),
    cases(numRuns),
  );
};

it(
  'any text is loaded or has readable mistakes',
  () => {
    assertLoads(fc.oneof(anyText(400), yamlText), (text) => text, 100);
  },
  FUZZ_TIMEOUT,
);

it(
  'the example with changed lines is loaded or has readable mistakes',
  () => {
    assertLoads(changesOf(EXAMPLE), (changes) => changed(EXAMPLE, changes), 60);
  },
  FUZZ_TIMEOUT,
);

it(
  'the example with all settings and changed lines is loaded or has readable mistakes',
  () => {
    assertLoads(changesOf(WHOLE_EXAMPLE), (changes) => changed(WHOLE_EXAMPLE, changes), 40);
  },
  FUZZ_TIMEOUT,
);

it(
  'any value of a setting is loaded or has readable mistakes',
  () => {
    const settings = [...WHOLE_EXAMPLE.matchAll(/^( *(?:- )?\w+: )(?=\S)/gm)].map(([, start = '']) => start);
    const value = fc.oneof(
      nastyYaml,
      anyText().map((text) => JSON.stringify(text)),
    );
    const replace = ([start, text]: readonly [string, string]) =>
      EXAMPLE.replace(new RegExp(`^${start}.*$`, 'm'), () => start + text);
    assertLoads(fc.tuple(fc.constantFrom(...settings), value), replace, 80);
  },
  FUZZ_TIMEOUT,
);
