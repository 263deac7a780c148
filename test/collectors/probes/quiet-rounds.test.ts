// Tests after which time a round of probes is long enough for a line about its progress.

import { expect, test } from 'vitest';
import { probeOptions } from '../../../src/collectors/probes/options.ts';
import { probes } from '../../../src/collectors/probes/probes.ts';
import { SECOND } from '../../../src/lib/time.ts';

const URLS = ['https://a.example/', 'https://b.example/'];
const EXIT = { exit: { url: 'https://ip.example/' } };

test.each([
  ['two urls and two rounds of controls', {}, 4],
  ['without controls', { control: false }, 2],
  ['with a check of the exit', { ...EXIT, control: false }, 3],
])('a dead proxy alone makes no line: %s', (_, options, limits) => {
  const parsed = probeOptions.parse({ urls: URLS, timeout: '7s', ...options });
  expect(probes.quietMs?.(parsed)).toBe(limits * 7 * SECOND);
});
