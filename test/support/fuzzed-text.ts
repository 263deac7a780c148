// Generates texts that break careless programs: quotes, control characters, lone surrogates, and names of prototypes.

import fc from 'fast-check';

/** Texts that once broke some program. */
const NASTY_TEXTS = [
  '',
  ' ',
  '"',
  '\\',
  '\\"',
  '\\n',
  '\n',
  '\r\n',
  '\u0000',
  '\u2028',
  '\ufeff',
  '\ud800',
  'x\udc00y',
  '\u{1f600}',
  'e\u0301',
  '__proto__',
  'constructor',
  'toString',
  'null',
  'undefined',
  'NaN',
  '-1',
  '1e999',
  `$\{HOME}`,
  '{{ .Labels }}',
  '{value}',
  '{subject}',
  '$1',
  '$&',
  "'; DROP TABLE users; --",
  '<script>alert(1)</script>',
  '</textarea>',
  '%s%n',
  '%00',
  '../../etc/passwd',
] as const;

/** Any text, often a nasty one. */
export const anyText = (maxLength = 40): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...NASTY_TEXTS) },
    { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength }) },
    { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength }) },
    {
      weight: 1,
      arbitrary: fc.array(fc.constantFrom(...NASTY_TEXTS), { maxLength: 4 }).map((texts) => texts.join('')),
    },
  );
