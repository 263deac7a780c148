// Reads and writes the sidecar, a small file beside the store that holds its newest number. It reveals an older file.

import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { aboutFile } from './errors.ts';
import { OWNER_ONLY_FILE } from './modes.ts';

/**
 * Numbers by store id, for the stores that were at this path, the current one last. The sidecar is written after the
 * store's own commit and never synced: it may lag behind the store, also after a power loss, but is never ahead of it.
 */
export type Sidecar = ReadonlyMap<string, number>;

/** Several stores are remembered, because the backup of a replaced one may be restored. */
const MAX_STORES = 8;

export const sidecarPath = (storePath: string): string => `${storePath}.sequence`;

/** Ignores lines in another format, such as one that a power loss cut short. Throws StoreError. */
export const readSidecar = (storePath: string): Sidecar => {
  const path = sidecarPath(storePath);
  if (!existsSync(path)) return new Map();
  const text = aboutFile(path, () => readFileSync(path, 'utf8'));
  const lines = text.matchAll(/^([0-9a-f]{32}) (\d{1,15})\n/gm);
  return new Map([...lines].map(([, id = '', number]) => [id, Number(number)]));
};

/** Throws StoreError. */
export const writeSidecar = (storePath: string, sidecar: Sidecar): void => {
  const path = sidecarPath(storePath);
  const lines = [...sidecar].slice(-MAX_STORES).map(([id, number]) => `${id} ${number}\n`);
  aboutFile(path, () => {
    writeFileSync(`${path}.new`, lines.join(''), { mode: OWNER_ONLY_FILE });
    renameSync(`${path}.new`, path);
  });
};
