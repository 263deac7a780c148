// Opens and copies a file that an operator gives as a backup. Its errors are about that file, and not about the store.

import type SQLite from 'better-sqlite3';
import { StoreError } from '../../errors.ts';
import { type CopyOptions, copyAndCheck } from './backup.ts';
import { checkIdentity, isEmpty, openToRead, versionOf } from './open.ts';
import { requireAllParts } from '../migrations/migrations.ts';

interface BackupFile {
  readonly file: string;
  /** What to do if the file is damaged. */
  readonly remedy: string;
}

/** Opens the file for reading. Throws StoreError. */
export const openBackup = ({ file, remedy }: BackupFile): SQLite.Database => {
  try {
    if (isEmpty(file))
      throw new StoreError('failed', `${file}: there is no such file, or it is empty. Check the path`);
    return openToRead(file, (sql) => {
      checkIdentity(sql);
      requireAllParts(sql, versionOf(sql), remedy);
    });
  } catch (error) {
    throw aboutFile(error, file, remedy);
  }
};

/** Throws StoreError if the file cannot be copied, or is damaged. */
export const copyBackup = async (
  { file, remedy }: BackupFile,
  to: string,
  options: CopyOptions,
): Promise<void> => {
  try {
    await copyAndCheck(file, to, options);
  } catch (error) {
    throw aboutFile(error, file, remedy);
  }
};

/** The store's own errors say what to do about the store. */
const aboutFile = (error: unknown, file: string, remedy: string): unknown => {
  if (!(error instanceof StoreError)) return error;
  const messages: Partial<Record<StoreError['kind'], string>> = {
    foreign: `${file}: this file is not a store of proxywatch. Give a file that "proxywatch store backup" wrote`,
    damaged: `${file}: this file is damaged or incomplete. ${remedy}`,
  };
  const message = messages[error.kind];
  return message === undefined ? error : new StoreError(error.kind, message, { cause: error });
};
