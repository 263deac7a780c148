// Merges `defaults` under every account before validation. Merged values keep their location in the file.

import type { ConfigNode, MapEntry } from './config-node.ts';

/**
 * Maps merge; lists, scalars and `false` of the account replace the value of the defaults. A key and its `_file`
 * variant are two ways to write one setting, so either of them replaces both.
 */
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
