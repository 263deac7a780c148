// Tests regular expressions of the operator: their meaning, and which ones are refused with which words.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TextPattern } from '../../src/lib/text-pattern.ts';

const atom = fc.constantFrom('a', 'b', ' ', '.', '[ab]', '[^b]', '\\w', '\\d', 'é', '^', '$', '\\b');
const patterns = fc.letrec<{ readonly node: string }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    atom,
    fc.tuple(tie('node'), tie('node')).map(([left, right]) => `${left}${right}`),
    fc.tuple(tie('node'), tie('node')).map(([left, right]) => `(?:${left}|${right})`),
    fc
      .tuple(tie('node'), fc.constantFrom('*', '+', '?', '*?', '{2}', '{1,3}'))
      .map(([node, count]) => `(?:${node})${count}`),
  ),
})).node;
const texts = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '1', 'é', '\n'), maxLength: 12 });

describe('a pattern', () => {
  it('has the meaning that it has elsewhere', () => {
    fc.assert(
      fc.property(patterns, texts, (pattern, text) => {
        expect(new TextPattern(pattern).isIn(text)).toBe(new RegExp(pattern).test(text));
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ['in ?stock', 'now in stock'],
    ['(?i)welcome', 'WELCOME'],
    ['"ip":\\s*"\\d{1,3}(?:\\.\\d{1,3}){3}"', '{"ip": "192.0.2.1"}'],
    ['(?m)^ready$', 'not\nready\nyet'],
  ])('%s is in %j', (pattern, text) => {
    expect(new TextPattern(pattern).isIn(text)).toBe(true);
    expect(new TextPattern(pattern).isIn('out')).toBe(false);
  });

  it.each([
    ['(', 'missing closing ): `(`'],
    ['a**', 'invalid nested repetition operator: `**`'],
    ['OK(?! not)', 'invalid or unsupported Perl syntax: `(?!`'],
    ['(?<=a)b', 'invalid named capture: `(?<=a)b`'],
    ['(a)\\1', 'invalid escape sequence: `\\1`'],
    ['a{1001}', 'invalid repeat count: `{1001}`'],
  ])('%s is refused', (pattern, reason) => {
    const words = 'a regular expression in RE2 syntax, without lookaheads and backreferences';
    expect(() => new TextPattern(pattern)).toThrow(`${words} (${reason})`);
  });

  it.each(['a{301}', '(?:[ab]{40}c{20}){10}'])(
    '%s is refused, because a search would take long',
    (pattern) => {
      expect(() => new TextPattern(pattern)).toThrow(
        /^a regular expression in RE2 syntax of at most 300 steps \(this has \d{3}\)$/,
      );
    },
  );
});
