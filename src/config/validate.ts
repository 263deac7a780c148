// Validates a configuration tree by a schema. Each mistake has its location in the file, and its message holds no secret.

import type { z } from 'zod';
import { cutText } from '../lib/quoted-text.ts';
import { closestMatch } from './closest-match.ts';
import { type ConfigNode, locate, toValue } from './config-node.ts';
import { configJsonSchema, type JsonSchema, keysAt, schemasAt } from './json-schema.ts';
import { toViolations, type Violation } from './violations.ts';
import type { LocatedMistake } from './yaml-source.ts';

export type Validated<T> = { config: T } | { mistakes: LocatedMistake[] };

export const validate = <S extends z.ZodType>(root: ConfigNode, schema: S): Validated<z.output<S>> => {
  const asText = parse(root, schema, new Set());
  if (asText.success) return { config: asText.data };
  // A ${NAME} without other text is text if the schema accepts text. Only a violation shows that it needs a number or boolean.
  const typed = new Set(
    toViolations(asText.error.issues).flatMap((violation) => typedNodeAt(root, violation)),
  );
  const result = typed.size > 0 ? parse(root, schema, typed) : asText;
  if (result.success) return { config: result.data };
  const describer = new Describer(root, configJsonSchema(schema));
  return { mistakes: toViolations(result.error.issues).map((violation) => describer.describe(violation)) };
};

const parse = <S extends z.ZodType>(root: ConfigNode, schema: S, typed: ReadonlySet<ConfigNode>) =>
  schema.safeParse(toValue(root, typed), { error: () => '' });

const typedNodeAt = (root: ConfigNode, { path }: Violation): ConfigNode[] => {
  const { node, missing } = locate(root, path);
  return missing.length === 0 && node.kind === 'scalar' && 'typedValue' in node ? [node] : [];
};

class Describer {
  readonly #root: ConfigNode;
  readonly #schema: JsonSchema;

  constructor(root: ConfigNode, schema: JsonSchema) {
    this.#root = root;
    this.#schema = schema;
  }

  describe(violation: Violation): LocatedMistake {
    if (violation.kind === 'unknown-key') return this.#unknownKey(violation);
    const { node, missing } = locate(this.#root, violation.path);
    const { line, column } = node;
    const path = [...node.path, ...missing];
    if (violation.kind === 'rule') return { line, column, path, message: violation.message };
    const message =
      missing.length > 0
        ? `missing; expected ${violation.expected}`
        : `expected ${violation.expected}, found ${this.#describeFound(node, violation)}${quotesHintFor(node, violation.expected)}`;
    return { line, column, path, message };
  }

  #unknownKey({ path }: Violation): LocatedMistake {
    const key = String(path.at(-1));
    const { node } = locate(this.#root, path.slice(0, -1));
    const entry = node.kind === 'map' ? node.entries.get(key) : undefined;
    // A key that another form of the same map has is not misspelt, so it is not its own suggestion.
    const others = keysAt(this.#schema, path.slice(0, -1)).filter((known) => known !== key);
    const suggestion = closestMatch(key, others);
    return {
      ...(entry?.key ?? { line: node.line, column: node.column }),
      path: entry?.value.path ?? [...node.path, key],
      message: suggestion ? `unknown key; did you mean "${suggestion}"?` : 'unknown key',
    };
  }

  /** Shows a value only where nothing but public scalars belong, because a misplaced value may be a secret. */
  #describeFound(node: ConfigNode, { path }: Violation): string {
    if (node.kind === 'list' && node.items.length === 0) return 'an empty list';
    if (node.kind !== 'scalar') return `a ${node.kind}`;
    if (node.isFromEnvironment) return 'a value from the environment';
    if (node.value === null) return 'nothing';
    const schemas = schemasAt(this.#schema, path);
    const isPublic =
      schemas.length > 0 &&
      !schemas.some(({ writeOnly, type }) => writeOnly || type === 'object' || type === 'array');
    if (isPublic) return shorten(JSON.stringify(node.value));
    if (node.value === '') return 'an empty value';
    return typeof node.value === 'string' ? 'text' : `a ${typeof node.value}`;
  }
}

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
