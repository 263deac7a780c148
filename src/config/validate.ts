// Validates placed nodes by a schema: each mistake where it was written, and no secret in its message.

import type { z } from 'zod';
import { type Finding, toFindings } from './issues.ts';
import { configJsonSchema, type JsonSchema, keysAt, schemasAt } from './json-schema.ts';
import { type ConfigNode, locate, toValue } from './node.ts';
import { nearest } from './suggest.ts';
import type { PlacedMistake } from './yaml-source.ts';

export type Validated<T> = { config: T } | { mistakes: PlacedMistake[] };

export const validate = <S extends z.ZodType>(root: ConfigNode, schema: S): Validated<z.output<S>> => {
  const asText = parse(root, schema, new Set());
  if (asText.success) return { config: asText.data };
  // A lone ${NAME} is text where text will do; only the schema's complaint shows that a number or false is wanted.
  const plain = new Set(toFindings(asText.error.issues).flatMap((finding) => plainNodeAt(root, finding)));
  const result = plain.size > 0 ? parse(root, schema, plain) : asText;
  if (result.success) return { config: result.data };
  const describer = new Describer(root, configJsonSchema(schema));
  return { mistakes: toFindings(result.error.issues).map((finding) => describer.describe(finding)) };
};

const parse = <S extends z.ZodType>(root: ConfigNode, schema: S, plain: ReadonlySet<ConfigNode>) =>
  schema.safeParse(toValue(root, plain), { error: () => '' });

const plainNodeAt = (root: ConfigNode, { path }: Finding): ConfigNode[] => {
  const { node, missing } = locate(root, path);
  return missing.length === 0 && node.kind === 'scalar' && 'plainValue' in node ? [node] : [];
};

class Describer {
  readonly #root: ConfigNode;
  readonly #schema: JsonSchema;

  constructor(root: ConfigNode, schema: JsonSchema) {
    this.#root = root;
    this.#schema = schema;
  }

  describe(finding: Finding): PlacedMistake {
    if (finding.kind === 'unknown-key') return this.#unknownKey(finding);
    const { node, missing } = locate(this.#root, finding.path);
    const { line, column } = node;
    const path = [...node.path, ...missing];
    if (finding.kind === 'rule') return { line, column, path, message: finding.says };
    const message =
      missing.length > 0
        ? `missing; expected ${finding.expected}`
        : `expected ${finding.expected}, found ${this.#found(node, finding)}${hintFor(node, finding.expected)}`;
    return { line, column, path, message };
  }

  #unknownKey({ path }: Finding): PlacedMistake {
    const key = String(path.at(-1));
    const { node } = locate(this.#root, path.slice(0, -1));
    const entry = node.kind === 'map' ? node.entries.get(key) : undefined;
    // One that another form of the same map has is spelt well.
    const others = keysAt(this.#schema, path.slice(0, -1)).filter((known) => known !== key);
    const meant = nearest(key, others);
    return {
      ...(entry?.key ?? { line: node.line, column: node.column }),
      path: entry?.value.path ?? [...node.path, key],
      message: meant ? `unknown key; did you mean "${meant}"?` : 'unknown key',
    };
  }

  /** A value is shown where plain, public scalars belong and nothing else: a misplaced one may be anything. */
  #found(node: ConfigNode, { path }: Finding): string {
    if (node.kind !== 'scalar') return `a ${node.kind}`;
    if (node.tainted) return 'a value from the environment';
    if (node.value === null) return 'nothing';
    const schemas = schemasAt(this.#schema, path);
    const isPublic =
      schemas.length > 0 &&
      !schemas.some(({ writeOnly, type }) => writeOnly || type === 'object' || type === 'array');
    return isPublic ? shorten(JSON.stringify(node.value)) : 'a value';
  }
}

/** Ids, names and keys of digits alone are numbers to YAML. */
const hintFor = (node: ConfigNode, expected: string): string => {
  const isLikeText = node.kind === 'scalar' && ['number', 'boolean'].includes(typeof node.value);
  return isLikeText && expected === 'text' ? '; quotes make it text' : '';
};

const SHOWN_LENGTH = 80;

const shorten = (text: string): string =>
  text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text;
