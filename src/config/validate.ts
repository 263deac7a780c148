// Validates a configuration tree by a schema. Each mistake has its location in the file, and its message holds no secret. zod's
// issues become violations: one for each key, and for a union those of the form that was most likely meant.

import type { z } from 'zod';
import { cutText } from '../lib/quoted-text.ts';
import { closestMatch } from './closest-match.ts';
import type { Path } from './config-error.ts';
import { type ConfigNode, locate, toValue } from './config-node.ts';
import { configJsonSchema, type JsonSchema, keysAt, schemasAt } from './json-schema.ts';
import type { LocatedMistake } from './yaml-source.ts';

type Validated<T> = { config: T } | { mistakes: LocatedMistake[] };

export const validate = <S extends z.ZodType>(root: ConfigNode, schema: S): Validated<z.output<S>> => {
  const asText = parse(root, schema, new Set());
  if (asText.success) return { config: asText.data };
  // A ${NAME} without other text is text if the schema accepts text. Only a violation shows that it needs a number or boolean.
  const typed = new Set(
    toViolations(asText.error.issues).flatMap((violation) => typedNodeAt(root, violation)),
  );
  const result = typed.size > 0 ? parse(root, schema, typed) : asText;
  if (result.success) return { config: result.data };
  const jsonSchema = configJsonSchema(schema);
  return {
    mistakes: toViolations(result.error.issues).map((violation) => describe(root, jsonSchema, violation)),
  };
};

/** A configuration is parsed once, so zod should not compile code for it. */
const parse = <S extends z.ZodType>(root: ConfigNode, schema: S, typed: ReadonlySet<ConfigNode>) =>
  schema.safeParse(toValue(root, typed), { error: () => '', jitless: true });

const typedNodeAt = (root: ConfigNode, { path }: Violation): ConfigNode[] => {
  const { node, missing } = locate(root, path);
  return missing.length === 0 && node.kind === 'scalar' && 'typedValue' in node ? [node] : [];
};

const describe = (root: ConfigNode, schema: JsonSchema, violation: Violation): LocatedMistake => {
  if (violation.kind === 'unknown-key') return describeUnknownKey(root, schema, violation);
  const { node, missing } = locate(root, violation.path);
  const { line, column } = node;
  const path = [...node.path, ...missing];
  if (violation.kind === 'rule') return { line, column, path, message: violation.message };
  const message =
    missing.length > 0
      ? `missing; expected ${violation.expected}`
      : `expected ${violation.expected}, found ${describeFound(node, schema, violation)}${quotesHintFor(node, violation.expected)}`;
  return { line, column, path, message };
};

const describeUnknownKey = (root: ConfigNode, schema: JsonSchema, { path }: Violation): LocatedMistake => {
  const key = String(path.at(-1));
  const { node } = locate(root, path.slice(0, -1));
  const entry = node.kind === 'map' ? node.entries.get(key) : undefined;
  // A key that another form of the same map has is not misspelt, so it is not its own suggestion.
  const others = keysAt(schema, path.slice(0, -1)).filter((known) => known !== key);
  const section = emptySectionBefore(node, schema, path);
  const suggestion = closestMatch(key, others);
  const hint = section
    ? `; indent it if it belongs to "${section}" above`
    : suggestion && `; did you mean "${suggestion}"?`;
  return {
    ...(entry?.key ?? { line: node.line, column: node.column }),
    path: entry?.value.path ?? [...node.path, key],
    message: `unknown key${hint ?? ''}`,
  };
};

/** Returns the key above without a value that stands at the same level and takes this key. */
const emptySectionBefore = (map: ConfigNode, schema: JsonSchema, path: Path): string | undefined => {
  if (map.kind !== 'map') return undefined;
  const key = String(path.at(-1));
  const names = [...map.entries.keys()];
  return names.slice(0, names.indexOf(key)).findLast((name) => {
    const value = map.entries.get(name)?.value;
    const isEmpty = value?.kind === 'scalar' && value.value === null && !value.isFromEnvironment;
    return isEmpty && keysAt(schema, [...path.slice(0, -1), name]).includes(key);
  });
};

/** Shows a value only where nothing but public scalars belong, because a misplaced value may be a secret. */
const describeFound = (node: ConfigNode, schema: JsonSchema, { path }: Violation): string => {
  if (node.kind === 'list' && node.items.length === 0) return 'an empty list';
  if (node.kind !== 'scalar') return `a ${node.kind}`;
  if (node.isFromEnvironment) return 'a value from the environment';
  if (node.value === null) return 'nothing';
  const schemas = schemasAt(schema, path);
  const isPublic =
    schemas.length > 0 &&
    !schemas.some(({ writeOnly, type }) => writeOnly || type === 'object' || type === 'array');
  if (isPublic) return shorten(JSON.stringify(node.value));
  if (node.value === '') return 'an empty value';
  return typeof node.value === 'string' ? 'text' : `a ${typeof node.value}`;
};

/** YAML parses ids, names and keys that consist of digits as numbers. */
const quotesHintFor = (node: ConfigNode, expected: string): string => {
  const isLikeText = node.kind === 'scalar' && ['number', 'boolean'].includes(typeof node.value);
  return isLikeText && expected === 'text' ? '; put it in quotes to make it text' : '';
};

const SHOWN_LENGTH = 80;

const shorten = (text: string): string =>
  escapeInvisible(text.length > SHOWN_LENGTH ? `${cutText(text, SHOWN_LENGTH)}…` : text);

/** Escapes what would break the line or change how a terminal shows it. */
const escapeInvisible = (text: string): string =>
  text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `\\u{${code.toString(16)}}`;
  });

/** A violation at `path`: an unknown key, a value other than the expected one, or the message of a rule. */
type Violation = { readonly path: Path } & (
  | { readonly kind: 'unknown-key' }
  | { readonly kind: 'unexpected'; readonly expected: string }
  | { readonly kind: 'rule'; readonly message: string }
);

/**
 * `issues` come from a parse whose error map returns '', so an issue has a message only if the schema sets one. A
 * message that begins with "expected" names the expected value; any other message is used unchanged.
 */
const toViolations = (issues: readonly z.core.$ZodIssue[], at: Path = []): Violation[] =>
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
