// The small file beside the store that says how far the store has come, so that an older file of it is recognised.

import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { StoreError } from '../../errors.ts';

/**
 * Numbers by store id, of the stores that stood at this path, the present one last. It is written after the store's
 * own commit and never synced: it may lag behind the store, also after a power loss, but is never ahead of it.
 */
export type Sidecar = ReadonlyMap<string, number>;

/** Stores remembered: a backup of one that was replaced may come back. */
const STORES = 8;

export const sidecarPath = (storePath: string): string => `${storePath}.sequence`;

/** What is not a line of ours, such as a file cut short by a power loss, says nothing. Throws StoreError. */
export const readSidecar = (storePath: string): Sidecar => {
  const path = sidecarPath(storePath);
  if (!existsSync(path)) return new Map();
  const text = attempt(path, () => readFileSync(path, 'utf8'));
  const lines = text.matchAll(/^([0-9a-f]{32}) (\d{1,15})\n/gm);
  return new Map([...lines].map(([, id = '', number]) => [id, Number(number)]));
};

/** Throws StoreError. */
export const writeSidecar = (storePath: string, sidecar: Sidecar): void => {
  const path = sidecarPath(storePath);
  const lines = [...sidecar].slice(-STORES).map(([id, number]) => `${id} ${number}\n`);
  attempt(path, () => {
    writeFileSync(`${path}.new`, lines.join(''));
    renameSync(`${path}.new`, path);
  });
};

const attempt = <T>(path: string, work: () => T): T => {
  try {
    return work();
  } catch (error) {
    const message = `${path}: cannot be read or written; check the disk's space and the permissions of the file and its folder`;
    throw new StoreError('unwritable', message, { cause: error });
  }
};
