// `defaults` is merged under every account before the schema sees them; what is merged keeps its place in the file.

import type { ConfigNode, MapEntry } from './node.ts';

/**
 * Maps merge; lists, scalars and `false` of the account replace what the defaults say. A key and its `_file` twin
 * are two ways of writing one thing: either replaces both.
 */
export const mergeDefaults = (defaults: ConfigNode, account: ConfigNode): ConfigNode => {
  if (defaults.kind !== 'map' || account.kind !== 'map') return account;
  const kept = [...defaults.entries].filter(([key]) => !account.entries.has(twinOf(key)));
  const entries = new Map<string, MapEntry>(kept);
  for (const [key, entry] of account.entries) {
    const below = entries.get(key);
    entries.set(key, below ? { ...entry, value: mergeDefaults(below.value, entry.value) } : entry);
  }
  return { ...account, entries };
};

/** Takes `defaults` out of the map and spreads them over the items of `accounts`. */
export const spreadDefaults = (root: ConfigNode): ConfigNode => {
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

const twinOf = (key: string): string => (key.endsWith(FILE) ? key.slice(0, -FILE.length) : key + FILE);
