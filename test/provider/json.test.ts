// Tests that answers are parsed without halves of surrogate pairs.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseJson } from '../../src/provider/answer-body.ts';

it.each([
  ['"\\ud83d\\ude00"', '\u{1f600}'],
  ['"\\ud83d"', '\ufffd'],
  ['"\\uDE00x"', '\ufffdx'],
  ['"\\ud83d\\ud83d\\ude00"', '\ufffd\u{1f600}'],
  ['"\\\\ud83d"', '\\ud83d'],
  ['"\\\\\\ud83d"', '\\\ufffd'],
  ['{"\\ud83d": 1}', { '\ufffd': 1 }],
  ['"\\ud83', undefined],
  ['', undefined],
])('%j is %j', (text, expected) => {
  expect(parseJson(text)).toEqual(expected);
});

it('keeps everything else', () => {
  const escaped = (text: string): string =>
    JSON.stringify(text).replaceAll(
      /[^ -~]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(parseJson(escaped(text))).toBe(text.toWellFormed());
      expect(parseJson(JSON.stringify(text))).toBe(text.toWellFormed());
    }),
    { numRuns: 300 },
  );
});
