// Converts zod's issues to violations: one for each key, and for a union those of the form that was most likely meant.

import type { z } from 'zod';
import type { Path } from './config-error.ts';

/** A violation at `path`: an unknown key, a value other than the expected one, or the message of a rule. */
export type Violation = { readonly path: Path } & (
  | { readonly kind: 'unknown-key' }
  | { readonly kind: 'unexpected'; readonly expected: string }
  | { readonly kind: 'rule'; readonly message: string }
);

/**
 * `issues` come from a parse whose error map returns '', so an issue has a message only if the schema sets one. A
 * message that begins with "expected" names the expected value; any other message is used unchanged.
 */
export const toViolations = (issues: readonly z.core.$ZodIssue[], at: Path = []): Violation[] =>
  issues.flatMap((issue) => {
    const path = [...at, ...issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step))];
    if (issue.message.startsWith(EXPECTED)) {
      return [{ path, kind: 'unexpected', expected: issue.message.slice(EXPECTED.length) }];
    }
    if (issue.message !== '') return [{ path, kind: 'rule', message: issue.message }];
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({ path: [...path, key], kind: 'unknown-key' }));
    }
    if (issue.code === 'invalid_key') return [{ path, kind: 'unknown-key' }];
    if (issue.code === 'invalid_union' && issue.errors.length > 0) return resolveUnion(issue.errors, path);
    return [{ path, kind: 'unexpected', expected: expectedValueOf(issue) }];
  });

const EXPECTED = 'expected ';

/** Returns the violations of the form that fits except for details; if none fits, one that names all forms as expected. */
const resolveUnion = (forms: readonly z.core.$ZodIssue[][], path: Path): Violation[] => {
  const formViolations = forms.map((issues) => toViolations(issues, path));
  const isTypeMismatch = (violation: Violation): boolean =>
    violation.kind === 'unexpected' && violation.path.length === path.length;
  const closestForm = formViolations
    .filter((form) => !form.some(isTypeMismatch))
    .sort((a, b) => a.length - b.length)
    .at(0);
  if (closestForm) return closestForm;
  const expected = formViolations
    .flat()
    .flatMap((violation) =>
      violation.kind === 'unexpected' && isTypeMismatch(violation) ? [violation.expected] : [],
    );
  return [{ path, kind: 'unexpected', expected: joinWords([...new Set(expected)]) }];
};

const expectedValueOf = (issue: z.core.$ZodIssue): string => {
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

/** A mistake is one readable line, so it names only some of many values. */
const MAX_VALUES = 12;
const EXAMPLES = 3;

const joinValues = (values: readonly unknown[]): string => {
  const quoted = values.map((value) => JSON.stringify(value));
  if (values.length <= MAX_VALUES) return joinWords(quoted);
  return `one of ${values.length} values, such as ${joinWords(quoted.slice(0, EXAMPLES))}`;
};

const joinWords = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
