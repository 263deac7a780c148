// Parses YAML to a tree with locations, resolves anchors, merge keys and environment variables, and collects mistakes.

import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Pair,
  parseDocument,
  type Scalar,
  type SchemaOptions,
  type YAMLError,
  type YAMLMap,
} from 'yaml';
import type { Path } from './config-error.ts';
import type { ConfigNode, MapEntry, MapNode, Position, ScalarNode } from './config-node.ts';
import { type Environment, expandVariables, isSingleReference } from './environment.ts';
import { indentationIn } from './indentation.ts';
import { Aliases } from './yaml-aliases.ts';

export interface LocatedMistake extends Position {
  readonly path: Path;
  readonly message: string;
}

export interface ParsedYaml {
  /** Undefined if the text is not valid YAML. */
  readonly root: ConfigNode | undefined;
  readonly mistakes: readonly LocatedMistake[];
}

/** Parses one document. Top-level keys that begin with `x-` are left out, but their anchors can be used. */
export const readYaml = (text: string, env: Environment): ParsedYaml => parseWith({}, text, env);

/** Parses one document in which dollar signs have no special meaning, and every scalar except null is text as written. */
export const readYamlAsText = (text: string): ParsedYaml =>
  parseWith({ schema: 'failsafe', customTags: ['null'] }, text, null);

const parseWith = (dialect: SchemaOptions, text: string, env: Environment | null): ParsedYaml => {
  const lines = new LineCounter();
  // The parser compares each key with every other key of its map, so the builder finds duplicates instead.
  const options = {
    ...dialect,
    lineCounter: lines,
    prettyErrors: false,
    stringKeys: true,
    uniqueKeys: false,
  };
  const document = parseDocument(text, options);
  const problems = [...document.errors, ...document.warnings];
  const explain = indentationIn(text);
  if (problems.length > 0)
    return { root: undefined, mistakes: problems.map((problem) => describeProblem(problem, lines, explain)) };
  const builder = new NodeBuilder(document, lines, env);
  const root = builder.build(document.contents, []);
  return { root: builder.aliases.isExhausted ? undefined : root, mistakes: builder.mistakes };
};

class NodeBuilder {
  readonly mistakes: LocatedMistake[] = [];
  readonly #document: Document;
  readonly #lines: LineCounter;
  readonly #env: Environment | null;
  readonly aliases: Aliases;
  /** The nodes between the root and the current one, to detect an alias inside its own anchor. */
  readonly #ancestors = new Set<unknown>();

  constructor(document: Document, lines: LineCounter, env: Environment | null) {
    this.#document = document;
    this.#lines = lines;
    this.#env = env;
    this.aliases = new Aliases(document);
  }

  build(node: unknown, path: Path): ConfigNode {
    if (!isAlias(node)) return this.#build(node, node, path);
    const target = this.aliases.targetOf(node);
    const wasExhausted = this.aliases.isExhausted;
    const built = this.aliases.repeat(() => this.#build(node, target, path));
    const isFirst = this.aliases.isExhausted && !wasExhausted && !this.aliases.isRepeating;
    if (isFirst) this.#addMistake(node, path, TOO_LARGE);
    return built;
  }

  /** Builds the node that is written as `node` and means `target`. */
  #build(node: unknown, target: unknown, path: Path): ConfigNode {
    const location = { ...this.#position(target ?? node), path };
    if (!this.aliases.countNode())
      return { kind: 'scalar', ...location, value: null, isFromEnvironment: false };
    if (isScalar(target)) return this.#scalar(target, location);
    if (!(isMap(target) || isSeq(target)) || this.#ancestors.has(target)) {
      if (isAlias(node)) this.mistakes.push({ ...location, message: target ? CIRCULAR : BAD_ALIAS });
      return { kind: 'scalar', ...location, value: null, isFromEnvironment: false };
    }
    this.#ancestors.add(target);
    const built: ConfigNode = isMap(target)
      ? { kind: 'map', ...location, entries: this.#entries(target, path) }
      : { kind: 'list', ...location, items: target.items.map((item, i) => this.build(item, [...path, i])) };
    this.#ancestors.delete(target);
    return built;
  }

  #scalar(scalar: Scalar, location: Position & { path: Path }): ScalarNode {
    if (typeof scalar.value !== 'string' || this.#env === null) {
      return { kind: 'scalar', ...location, value: scalar.value, isFromEnvironment: false };
    }
    const { text, hasVariables, mistakes } = expandVariables(scalar.value, this.#env);
    this.mistakes.push(...mistakes.map((message) => ({ ...location, message })));
    const node: ScalarNode = { kind: 'scalar', ...location, value: text, isFromEnvironment: hasVariables };
    const mayHaveType = scalar.type === 'PLAIN' && isSingleReference(scalar.value);
    return mayHaveType ? { ...node, typedValue: this.#resolvePlain(text) } : node;
  }

  /** Returns the value that `text` would have in the file without quotes, by the core schema of YAML. */
  #resolvePlain(text: string): unknown {
    for (const tag of this.#document.schema?.tags ?? []) {
      if (!tag.collection && tag.default === true && tag.test?.test(text)) {
        const resolved = tag.resolve(text, () => {}, {});
        return isScalar(resolved) ? resolved.value : resolved;
      }
    }
    return text;
  }

  /** Own keys take precedence over merged ones, and earlier merged maps over later ones, as the merge key's specification requires. */
  #entries(map: YAMLMap, path: Path): Map<string, MapEntry> {
    const entries = new Map<string, MapEntry>();
    const pairs = map.items.filter(({ key }) => !(path.length === 0 && nameOf(key).startsWith('x-')));
    for (const pair of pairs.filter((pair) => !isMerge(pair))) {
      const name = nameOf(pair.key);
      if (entries.has(name)) this.#addMistake(pair.key, [...path, name], DUPLICATE);
      entries.set(name, { key: this.#position(pair.key), value: this.build(pair.value, [...path, name]) });
    }
    const [, ...moreMerges] = pairs.filter(isMerge);
    for (const pair of moreMerges) this.#addMistake(pair.key, path, DUPLICATE);
    for (const pair of pairs.filter(isMerge)) {
      for (const [name, entry] of this.#mergedEntries(pair, path)) {
        if (!entries.has(name)) entries.set(name, entry);
      }
    }
    return entries;
  }

  #addMistake(node: unknown, path: Path, message: string): void {
    this.mistakes.push({ ...this.#position(node), path, message });
  }

  #mergedEntries(pair: Pair, path: Path): [string, MapEntry][] {
    const merged = isSeq(pair.value) ? pair.value.items : [pair.value];
    const nodes = merged.map((node) => this.build(node, path));
    const maps = nodes.filter((node): node is MapNode => node.kind === 'map');
    if (maps.length < nodes.length) this.#addMistake(pair.key, path, '<< takes a map or a list of maps');
    return maps.flatMap(({ entries }) => [...entries]);
  }

  #position(node: unknown): Position {
    const range = isNode(node) ? node.range : undefined;
    return positionAt(range?.[0] ?? 0, this.#lines);
  }
}

const nameOf = (key: unknown): string => String(isScalar(key) ? key.value : key);

const isMerge = ({ key }: Pair): boolean => isScalar(key) && key.value === '<<' && key.type === 'PLAIN';

const positionAt = (offset: number, lines: LineCounter): Position => {
  const { line, col } = lines.linePos(offset);
  return { line, column: col };
};

const BAD_ALIAS = 'an alias needs an anchor before it';
const CIRCULAR = 'an alias must not be inside its own anchor';
const DUPLICATE = 'this key occurs twice in the same map';
const TOO_LARGE = 'aliases inside anchors repeat too much of the file; write fewer of them';

// These replace the parser's own messages, which quote the text and so may reveal secrets.
const PROBLEMS: Partial<Record<YAMLError['code'], string>> = {
  BAD_DQ_ESCAPE: 'unknown escape in double quotes',
  BAD_INDENT: 'wrong indentation, or a bracket is not closed',
  BAD_SCALAR_START: 'a value that begins with this character needs quotes',
  BLOCK_AS_IMPLICIT_KEY: 'a value that contains a colon and a space needs quotes',
  MISSING_CHAR: 'a quote, bracket, colon, comma or space is missing',
  MULTIPLE_DOCS: 'expected one YAML document, found a second one',
  MULTILINE_IMPLICIT_KEY: 'expected a key and a colon',
  NON_STRING_KEY: 'expected text as key',
  RESOURCE_EXHAUSTION: 'too many lists or maps inside each other',
  TAB_AS_INDENT: 'use spaces instead of tabs for indentation',
  TAG_RESOLVE_FAILED: 'unknown tag, or a value that does not fit its tag',
  UNEXPECTED_TOKEN: 'unexpected text; check for an extra bracket or quote',
};

const describeProblem = (
  problem: YAMLError,
  lines: LineCounter,
  explain: ReturnType<typeof indentationIn>,
): LocatedMistake => {
  const { code, pos } = problem;
  const at = positionAt(pos[0], lines);
  const message = PROBLEMS[code] ?? `invalid YAML (${code.toLowerCase().replaceAll('_', ' ')})`;
  return { path: [], ...at, message, ...explain(problem, at) };
};
