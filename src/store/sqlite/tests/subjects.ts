// Names that stand in many rows, each kept once and referred to by number.

import type { Database } from '../file/database.ts';

/** Urls and testers that are not forgotten. */
export interface KnownSubjects {
  readonly urls: ReadonlySet<number>;
  readonly testers: ReadonlySet<number>;
}

export interface Subjects {
  /** The numbers of names, given to those that are new, in a transaction of its own. Outside of transactions. */
  learn(names: Iterable<string>): (name: string) => number;
  /** The number of a name for reading; that of no rows when it is not known. */
  find(name: string): number;
  /** The name of a number that rows refer to. */
  name(id: number): string;
  /** Forgets those of these that no account has use for. Inside a transaction. */
  release(ids: readonly number[]): void;
}

/** Stands for all subjects where rows are summed up; their own numbers begin at 1. */
export const ALL_SUBJECTS = 0;
/** Stands for urls and testers that were forgotten, where it still counts what they brought. It has no name. */
export const FORGOTTEN = 0;
const UNKNOWN = -1;

export const createSubjects = (db: Database): Subjects => {
  const read = db.sql.prepare<[string], number>('SELECT id FROM subject WHERE text = ?').pluck();
  const insert = db.sql.prepare<[string]>('INSERT INTO subject (text) VALUES (?) ON CONFLICT DO NOTHING');
  const readName = db.sql.prepare<[number], string>('SELECT text FROM subject WHERE id = ?').pluck();
  const pairs = db.sql.prepare<[], { url: number; tester: number }>('SELECT url, tester FROM url_tester');
  // Never the last one: its number would be given anew, and rows that go later would take the new name for theirs.
  const removeUnlessTested = db.sql.prepare<[number]>(
    `DELETE FROM subject WHERE id = ? AND id < (SELECT max(id) FROM subject) AND NOT EXISTS (
       SELECT 1 FROM account JOIN tested_proxy ON account_id = account.id AND proxy = subject.id)`,
  );
  const ids = new Map<string, number>();
  const names = new Map<number, string>();

  const find = (name: string): number => {
    const id = ids.get(name) ?? read.get(name) ?? UNKNOWN;
    if (id !== UNKNOWN) ids.set(name, id);
    return id;
  };

  return {
    // In a transaction of its own: a number that were taken back with a batch might be given to another name.
    learn: (names) => {
      const unknown = [...new Set(names)].filter((name) => !ids.has(name));
      if (unknown.length > 0) {
        db.write(() => {
          for (const name of unknown) insert.run(name);
        });
      }
      return find;
    },
    find,
    name: (id) => {
      const name = names.get(id) ?? readName.get(id) ?? '';
      names.set(id, name);
      return name;
    },
    release: (released) => {
      if (released.length === 0) return;
      const inUse = new Set(pairs.all().flatMap(({ url, tester }) => [url, tester]));
      for (const id of released) if (!inUse.has(id)) removeUnlessTested.run(id);
      // Read again when asked for, whatever becomes of the transaction.
      ids.clear();
      names.clear();
    },
  };
};
