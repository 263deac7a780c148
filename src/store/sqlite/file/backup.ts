// Backups: a copy of one moment of the store, made while the daemon writes, and checked before it has its name.

import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { StoreError } from '../../errors.ts';
import { contentBytes } from './open.ts';
import { inThread } from './worker.ts';

export interface CopyOptions {
  readonly signal: AbortSignal;
  /** Told now and then how much is copied, from 0 to 1. */
  readonly onProgress: (share: number) => void;
}

const LOOK_MS = 100;

/**
 * Copies the store at `path`, of any version that this program knows, to `file`. Throws StoreError, also where there is
 * a file already unless `overwrite` is set, and leaves nothing behind.
 */
export const backUp = async (
  path: string,
  file: string,
  { overwrite, ...options }: CopyOptions & { readonly overwrite: boolean },
): Promise<void> => {
  if (isSameFile(path, file))
    throw new StoreError('failed', `${file}: is the store itself; name another file`);
  if (existsSync(file) && !overwrite) {
    throw new StoreError(
      'failed',
      `${file}: exists already; name another file, or overwrite it with --overwrite`,
    );
  }
  await inPlaceOf(file, '.partial', async (partial) => {
    await copySound(path, partial, options);
  });
};

/** A compact copy at `to`, checked. VACUUM INTO reads one moment, and the daemon writes on meanwhile. */
export const copySound = async (
  path: string,
  to: string,
  { signal, onProgress }: CopyOptions,
): Promise<void> => {
  const bytes = contentBytes(path);
  const look = setInterval(() => {
    onProgress(Math.min(1, (statSync(to, { throwIfNoEntry: false })?.size ?? 0) / bytes));
  }, LOOK_MS);
  try {
    await inThread({ kind: 'copy', path, to }, signal);
    onProgress(1);
  } finally {
    clearInterval(look);
  }
  const damages: string[] = [];
  await inThread({ kind: 'check', path: to }, signal, ({ subject, damage }) => {
    if (damage !== null) damages.push(`${subject}: ${damage}`);
  });
  if (damages.length > 0) throw new StoreError('damaged', `${path}: ${damages.join('; ')}`);
};

/** Makes a file beside `file` and gives it that name once it is whole and on the disk. Throws StoreError. */
export const inPlaceOf = async (
  file: string,
  ending: string,
  make: (partial: string) => Promise<void>,
): Promise<void> => {
  const partial = `${file}${ending}`;
  const clear = () => {
    for (const end of ['', '-wal', '-shm', '-journal']) rmSync(partial + end, { force: true });
  };
  try {
    clear();
    await make(partial);
    takeAfter(partial, file);
    sync(partial);
    renameSync(partial, file);
    sync(dirname(file));
  } catch (error) {
    throw asFileError(error, file);
  } finally {
    clear();
  }
};

export const isSameFile = (one: string, other: string): boolean => {
  const [a, b] = [one, other].map((path) => statSync(path, { throwIfNoEntry: false }));
  return a !== undefined && b !== undefined && a.dev === b.dev && a.ino === b.ino;
};

/** Gives a file owner and mode of the one whose place it takes: root may put back what another user's daemon opens. */
const takeAfter = (path: string, model: string): void => {
  const [own, wanted] = [statSync(path), statSync(model, { throwIfNoEntry: false })];
  if (!wanted) return;
  if (own.uid !== wanted.uid || own.gid !== wanted.gid) chownSync(path, wanted.uid, wanted.gid);
  chmodSync(path, wanted.mode);
};

const sync = (path: string): void => {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
};

/** An error of the file system as a StoreError; any other stays as it is. */
export const asFileError = (error: unknown, file: string): unknown => {
  if (!(error instanceof Error && 'syscall' in error)) return error;
  const message = `${file}: cannot be written (${error.message}); check the disk's space and the permissions of the folder`;
  return new StoreError('unwritable', message, { cause: error });
};
