// Represents the configuration as written, with locations, and merges `defaults` under every account before validation.

import type { Path } from './config-error.ts';

export interface Position {
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
}

interface Located extends Position {
  /** Path as written, which for a merged default is under `defaults`. */
  readonly path: Path;
}

export interface ScalarNode extends Located {
  readonly kind: 'scalar';
  readonly value: unknown;
  /** Whether the value holds text of the environment, which must not be shown. */
  readonly isFromEnvironment: boolean;
  /** The number, boolean or null that an unquoted `${NAME}` without other text may stand for. */
  readonly typedValue?: unknown;
}

interface ListNode extends Located {
  readonly kind: 'list';
  readonly items: readonly ConfigNode[];
}

export interface MapEntry {
  readonly key: Position;
  readonly value: ConfigNode;
}

export interface MapNode extends Located {
  readonly kind: 'map';
  readonly entries: ReadonlyMap<string, MapEntry>;
}

export type ConfigNode = ScalarNode | ListNode | MapNode;

/** Returns the plain value for the schema; scalars in `typed` return their `typedValue`. */
export const toValue = (node: ConfigNode, typed: ReadonlySet<ConfigNode>): unknown => {
  if (node.kind === 'scalar') return typed.has(node) ? node.typedValue : node.value;
  if (node.kind === 'list') return node.items.map((item) => toValue(item, typed));
  return Object.fromEntries([...node.entries].map(([key, { value }]) => [key, toValue(value, typed)]));
};

/** Leaves out the keys whose value is null. A root that is null becomes an empty map. */
export const withoutNulls = (root: ConfigNode): ConfigNode => {
  if (!isNull(root)) return withoutNullEntries(root);
  const { line, column, path } = root;
  return { kind: 'map', line, column, path, entries: new Map() };
};

const withoutNullEntries = (node: ConfigNode): ConfigNode => {
  if (node.kind === 'list') return { ...node, items: node.items.map(withoutNullEntries) };
  if (node.kind === 'scalar') return node;
  const entries = [...node.entries].filter(([, { value }]) => !isNull(value));
  return {
    ...node,
    entries: new Map(
      entries.map(([key, entry]) => [key, { ...entry, value: withoutNullEntries(entry.value) }]),
    ),
  };
};

const isNull = (node: ConfigNode): boolean => node.kind === 'scalar' && node.value === null;

/** Returns the node at `path`, or its nearest existing ancestor and the rest of the path, which is missing. */
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

/** Maps merge; lists, scalars and `false` replace the default. A key and its `_file` variant replace each other. */
export const mergeDefaults = (defaults: ConfigNode, account: ConfigNode): ConfigNode => {
  if (defaults.kind !== 'map' || account.kind !== 'map') return account;
  const inheritedEntries = [...defaults.entries].filter(
    ([key]) => !account.entries.has(alternativeKeyOf(key)),
  );
  const entries = new Map<string, MapEntry>(inheritedEntries);
  for (const [key, entry] of account.entries) {
    const inherited = entries.get(key);
    entries.set(key, inherited ? { ...entry, value: mergeDefaults(inherited.value, entry.value) } : entry);
  }
  return { ...account, entries };
};

/** Removes `defaults` from the map and merges them into each item of `accounts`. */
export const applyDefaults = (root: ConfigNode): ConfigNode => {
  if (root.kind !== 'map') return root;
  const defaults = root.entries.get('defaults')?.value;
  if (!defaults) return root;
  const entries = new Map(root.entries);
  entries.delete('defaults');
  const accounts = root.entries.get('accounts');
  if (accounts?.value.kind === 'list') {
    const items = accounts.value.items.map((account) => mergeDefaults(defaults, account));
    entries.set('accounts', { ...accounts, value: { ...accounts.value, items } });
  }
  return { ...root, entries };
};

const FILE = '_file';

const alternativeKeyOf = (key: string): string =>
  key.endsWith(FILE) ? key.slice(0, -FILE.length) : key + FILE;
