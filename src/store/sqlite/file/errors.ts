// Converts errors of SQLite and of the file system to StoreErrors that name the file and say what to do.

import SQLite from 'better-sqlite3';
import { StoreError, type StoreErrorKind } from '../../errors.ts';

interface ErrorClass {
  readonly codes: RegExp;
  readonly kind: StoreErrorKind;
  readonly problem: string;
  readonly advice: string;
}

const ERROR_CLASSES: readonly ErrorClass[] = [
  {
    codes: /^SQLITE_(CORRUPT|NOTADB)/,
    kind: 'damaged',
    problem: 'the store is damaged',
    advice:
      'Restore a backup: stop proxywatch, and run "proxywatch store restore". Or move the file away to start with an empty store',
  },
  {
    codes: /^SQLITE_(BUSY|LOCKED)/,
    kind: 'locked',
    problem: 'another program has locked the store',
    advice: 'Stop that program, or set store.path to another file',
  },
  {
    codes: /^SQLITE_(FULL|READONLY|IOERR|CANTOPEN|PERM|NOLFS)/,
    kind: 'unwritable',
    problem: 'the store cannot be opened or written',
    advice: 'Check the free disk space, and the permissions of the file and its folder',
  },
];

const UNEXPECTED: Omit<ErrorClass, 'codes'> = {
  kind: 'failed',
  problem: 'SQLite reported an unexpected error',
  advice: 'Run "proxywatch store check", and report a bug if it finds no damage',
};

/** Returns any other error as it is, because it is a bug of the program. */
export const asStoreError = (error: unknown, path: string): unknown => {
  if (!(error instanceof SQLite.SqliteError)) return error;
  const { kind, problem, advice } = ERROR_CLASSES.find(({ codes }) => codes.test(error.code)) ?? UNEXPECTED;
  const message = `${path}: ${problem} (${error.message}, ${error.code}). ${advice}`;
  return new StoreError(kind, message, { cause: error });
};

const ADVICE_BY_CODE: Readonly<Record<string, string>> = {
  ENOSPC: 'Free space on the disk',
  EDQUOT: 'Free space on the disk, or raise the disk quota',
  EROFS: 'Make the file system writable',
  EMFILE: 'Raise the limit of open files of proxywatch, for example with LimitNOFILE= in systemd',
  ENFILE: 'Raise the limit of open files of the machine',
};
const OTHER_ADVICE = 'Check the free disk space, and the permissions of the file and its folder';

/** Runs `work`, whose errors of the file system become StoreErrors about the file. */
export const aboutFile = <T>(file: string, work: () => T): T => {
  try {
    return work();
  } catch (error) {
    throw asFileError(error, file);
  }
};

/** Returns any other error as it is. */
export const asFileError = (error: unknown, file: string): unknown => {
  if (!(error instanceof Error && 'syscall' in error)) return error;
  const advice = ('code' in error && ADVICE_BY_CODE[String(error.code)]) || OTHER_ADVICE;
  const message = `${file}: proxywatch cannot read or write it (${error.message}). ${advice}`;
  return new StoreError('unwritable', message, { cause: error });
};
