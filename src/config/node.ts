// The configuration as written: values that still know where they stand in the file.

import type { Path } from './config-error.ts';

export interface Position {
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
}

interface Placed extends Position {
  /** Where it was written, which for a merged default is under `defaults`. */
  readonly path: Path;
}

export interface ScalarNode extends Placed {
  readonly kind: 'scalar';
  readonly value: unknown;
  /** Holds text of the environment, which must not be shown. */
  readonly tainted: boolean;
  /** The number, boolean or null that a lone, unquoted `${NAME}` may stand for instead of its text. */
  readonly plainValue?: unknown;
}

export interface ListNode extends Placed {
  readonly kind: 'list';
  readonly items: readonly ConfigNode[];
}

export interface MapEntry {
  readonly key: Position;
  readonly value: ConfigNode;
}

export interface MapNode extends Placed {
  readonly kind: 'map';
  readonly entries: ReadonlyMap<string, MapEntry>;
}

export type ConfigNode = ScalarNode | ListNode | MapNode;

/** The plain value, as the schema takes it; scalars in `plain` give their `plainValue`. */
export const toValue = (node: ConfigNode, plain: ReadonlySet<ConfigNode>): unknown => {
  if (node.kind === 'scalar') return plain.has(node) ? node.plainValue : node.value;
  if (node.kind === 'list') return node.items.map((item) => toValue(item, plain));
  return Object.fromEntries([...node.entries].map(([key, { value }]) => [key, toValue(value, plain)]));
};

/** What is found along `path`: the node itself, or the nearest one above it and what is missing from there. */
export const locate = (root: ConfigNode, path: Path): { node: ConfigNode; missing: Path } => {
  let node = root;
  for (const [depth, step] of path.entries()) {
    const next = childOf(node, step);
    if (!next) return { node, missing: path.slice(depth) };
    node = next;
  }
  return { node, missing: [] };
};

const childOf = (node: ConfigNode, step: string | number): ConfigNode | undefined => {
  if (node.kind === 'map') return node.entries.get(String(step))?.value;
  return node.kind === 'list' && typeof step === 'number' ? node.items[step] : undefined;
};
