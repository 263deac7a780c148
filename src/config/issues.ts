// What zod found wrong, as findings in our words: unions settled on the form that was meant, one finding a key.

import type { z } from 'zod';
import type { Path } from './config-error.ts';

/** Something is wrong at `path`: an unknown key, a value that is not what was expected, or what a rule says of it. */
export type Finding = { readonly path: Path } & (
  | { readonly kind: 'unknown-key' }
  | { readonly kind: 'unexpected'; readonly expected: string }
  | { readonly kind: 'rule'; readonly says: string }
);

/**
 * `issues` come from a parse whose own error map gives '', so that a message is there only where the schema has
 * one: after the word "expected" it names what was expected, otherwise it stands as it is.
 */
export const toFindings = (issues: readonly z.core.$ZodIssue[], at: Path = []): Finding[] =>
  issues.flatMap((issue) => {
    const path = [...at, ...issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step))];
    if (issue.message.startsWith(EXPECTED)) {
      return [{ path, kind: 'unexpected', expected: issue.message.slice(EXPECTED.length) }];
    }
    if (issue.message !== '') return [{ path, kind: 'rule', says: issue.message }];
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({ path: [...path, key], kind: 'unknown-key' }));
    }
    if (issue.code === 'invalid_key') return [{ path, kind: 'unknown-key' }];
    if (issue.code === 'invalid_union' && issue.errors.length > 0) return settleUnion(issue.errors, path);
    return [{ path, kind: 'unexpected', expected: expectedBy(issue) }];
  });

const EXPECTED = 'expected ';

/** The findings of the form that fits but for its details; where none fits, all forms as what was expected. */
const settleUnion = (forms: readonly z.core.$ZodIssue[][], path: Path): Finding[] => {
  const findings = forms.map((issues) => toFindings(issues, path));
  const isMisfit = (finding: Finding): boolean =>
    finding.kind === 'unexpected' && finding.path.length === path.length;
  const meant = findings
    .filter((form) => !form.some(isMisfit))
    .sort((a, b) => a.length - b.length)
    .at(0);
  if (meant) return meant;
  const expected = findings
    .flat()
    .flatMap((finding) => (finding.kind === 'unexpected' && isMisfit(finding) ? [finding.expected] : []));
  return [{ path, kind: 'unexpected', expected: joinWords([...new Set(expected)]) }];
};

const expectedBy = (issue: z.core.$ZodIssue): string => {
  switch (issue.code) {
    case 'invalid_type':
      return TYPES[issue.expected] ?? issue.expected;
    case 'invalid_value':
      return joinValues(issue.values);
    case 'invalid_union':
      return 'options' in issue && Array.isArray(issue.options) ? joinValues(issue.options) : 'another form';
    case 'too_small':
      return `${issue.inclusive ? 'at least' : 'more than'} ${amount(issue.minimum, issue.origin)}`;
    case 'too_big':
      return `${issue.inclusive ? 'at most' : 'less than'} ${amount(issue.maximum, issue.origin)}`;
    case 'not_multiple_of':
      return `a multiple of ${issue.divisor}`;
    case 'invalid_format':
      return issue.pattern ? `text that matches ${issue.pattern}` : `text in the form of ${issue.format}`;
    default:
      return 'another value';
  }
};

const TYPES: Partial<Record<z.core.$ZodInvalidTypeExpected, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map',
  record: 'a map',
};

const UNITS: Partial<Record<string, string>> = { string: 'character', array: 'item' };

const amount = (bound: number | bigint, origin: string): string => {
  const unit = UNITS[origin];
  return unit ? `${bound} ${unit}${bound === 1 ? '' : 's'}` : `${bound}`;
};

const joinValues = (values: readonly unknown[]): string =>
  joinWords(values.map((value) => JSON.stringify(value)));

const joinWords = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
