// SQLite's own errors as StoreErrors that name the file and a way out.

import SQLite from 'better-sqlite3';
import { StoreError, type StoreErrorKind } from '../../errors.ts';

interface Meaning {
  readonly codes: RegExp;
  readonly kind: StoreErrorKind;
  readonly what: string;
  readonly wayOut: string;
}

const MEANINGS: readonly Meaning[] = [
  {
    codes: /^SQLITE_(CORRUPT|NOTADB)/,
    kind: 'damaged',
    what: 'the store is damaged',
    wayOut: 'restore a backup, or move the file away to start anew',
  },
  {
    codes: /^SQLITE_(BUSY|LOCKED)/,
    kind: 'locked',
    what: 'another program holds the store',
    wayOut: 'end it, or name another store.path',
  },
  {
    codes: /^SQLITE_(FULL|READONLY|IOERR|CANTOPEN|PERM|NOLFS)/,
    kind: 'unwritable',
    what: 'the store cannot be opened or written',
    wayOut: "check the disk's space and the permissions of the file and its folder",
  },
];

const UNEXPECTED: Omit<Meaning, 'codes'> = {
  kind: 'failed',
  what: 'the store failed',
  wayOut: "check the file with sqlite3's quick_check, and report this if it is sound",
};

/** Anything but an error of SQLite is a fault of the program and stays as it is. */
export const asStoreError = (error: unknown, path: string): unknown => {
  if (!(error instanceof SQLite.SqliteError)) return error;
  const { kind, what, wayOut } = MEANINGS.find(({ codes }) => codes.test(error.code)) ?? UNEXPECTED;
  const message = `${path}: ${what} (${error.message}, ${error.code}); ${wayOut}`;
  return new StoreError(kind, message, { cause: error });
};
