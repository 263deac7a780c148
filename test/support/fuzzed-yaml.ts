// Generates YAML: random documents of the characters that matter, and documents with changed lines.

import fc from 'fast-check';
import { anyText } from './fuzzed-text.ts';

const TOKENS = [
  ...['{', '}', '[', ']', ',', ': ', ':', '- ', '-', '? ', '\n', '\n  ', '\n    ', '\n\t', ' ', '#', '# '],
  ...[
    '&a ',
    '*a',
    '&a',
    '*b',
    '<<: ',
    '<<: *a',
    '!!str ',
    '!!binary ',
    '!!set ',
    '!!timestamp ',
    '!x ',
    '|',
    '>-',
  ],
  ...[
    '"',
    "'",
    '\\',
    '---\n',
    '...\n',
    '%YAML 1.1\n',
    '~',
    'null',
    'true',
    '.nan',
    '-.inf',
    '0o17',
    '0x1F',
    '1_000',
  ],
  ...[
    'accounts',
    'defaults',
    'server',
    'x-a',
    '__proto__',
    'name: main',
    'alerts',
    'store',
    '1',
    '1e999',
    '12:30:00',
  ],
  ...[`$\{A}`, '${', '$$', `$\{A:-b}`, '2001-12-14', '\u0000', '\ufeff', '\u2028', '\ud800', '@', '`'],
] as const;

/** Text of the characters and words that a parser of YAML treats differently from others. */
export const yamlText: fc.Arbitrary<string> = fc
  .array(
    fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...TOKENS) }, { weight: 1, arbitrary: anyText(5) }),
    {
      maxLength: 60,
    },
  )
  .map((parts) => parts.join(''));

/** A value as it can stand behind a colon. */
export const nastyYaml: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    ...[
      '',
      '~',
      '{}',
      '[]',
      '[[]]',
      '{a: {b: c}}',
      '.nan',
      '.inf',
      '-.inf',
      '-0',
      '1e999',
      '-1',
      '0',
      '0x10',
    ],
    ...['99999999999999999999', '0.1', 'true', '"true"', '*unknown', '&a 1', '!!binary aGk=', '!!set {a, b}'],
    ...['{__proto__: {polluted: 1}}', '{constructor: 1}', '[null]', '[~, ~]', '"* * * * *"', '"0 0 31 2 *"'],
    ...[
      '"* * * * * *"',
      '"@daily"',
      '"*/0 * * * *"',
      '"0 0 29 2 1#5"',
      '"0-99 * * * *"',
      '"L * * * *"',
      '1w',
      '0s',
    ],
    ...[
      '99999w',
      '"00-24"',
      '"24-00"',
      `$\{ABSENT}`,
      `$\{ABSENT:-1}`,
      `"$\{PROXY_PRIVATE_KEY}"`,
      `$\{PROXY_PRIVATE_KEY}`,
    ],
    ...[
      'http://[::1]:99999/',
      'http://a:b@c/',
      '"http://\\0"',
      '[::1]:0',
      ':0',
      'Etc/GMT+12',
      'utc',
      'EST5EDT',
    ],
  ),
  fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify(value)),
);

interface Change {
  readonly kind: 'remove' | 'repeat' | 'indent' | 'value' | 'insert' | 'swap' | 'cut';
  readonly line: number;
  readonly other: number;
  readonly text: string;
}

const change = (lines: number): fc.Arbitrary<Change> =>
  fc.record({
    kind: fc.constantFrom<Change['kind'][]>(
      'remove',
      'repeat',
      'indent',
      'value',
      'value',
      'insert',
      'swap',
      'cut',
    ),
    line: fc.nat(lines - 1),
    other: fc.nat(lines - 1),
    text: fc.oneof(nastyYaml, yamlText, anyText()),
  });

const applyTo = (lines: string[], { kind, line, other, text }: Change): string[] => {
  const [here = '', there = ''] = [lines[line], lines[other]];
  switch (kind) {
    case 'remove':
      return lines.toSpliced(line, 1);
    case 'repeat':
      return lines.toSpliced(other, 0, here);
    case 'indent':
      return lines.with(line % lines.length, `  ${here}`);
    case 'value':
      return lines.with(
        line % lines.length,
        here.replace(/: .*$/, () => `: ${text}`),
      );
    case 'insert':
      return lines.toSpliced(line, 0, text);
    case 'swap':
      return lines.with(line % lines.length, there).with(other % lines.length, here);
    case 'cut':
      return lines.with(line % lines.length, here.slice(0, text.length));
  }
};

/** The lines of a document that matter: those without comments. */
const linesOf = (text: string): string[] => text.split('\n').filter((line) => /^\s*[^#\s]/.test(line));

/** A few changes of the lines of the text, which `changed` applies. A failure prints only these changes. */
export const changesOf = (text: string): fc.Arbitrary<readonly Change[]> =>
  fc.array(change(linesOf(text).length), { minLength: 1, maxLength: 4 });

export const changed = (text: string, changes: readonly Change[]): string =>
  changes.reduce(applyTo, linesOf(text)).join('\n');
