// Stores the names of proxies, URLs and testers once each; other rows refer to them by id.

import type { Database } from '../file/database.ts';

/** The ids of URLs and testers that are not pruned. */
export interface KnownSubjects {
  readonly urls: ReadonlySet<number>;
  readonly testers: ReadonlySet<number>;
}

export interface Subjects {
  /** Gives ids to new names in a transaction of its own, and returns `idOf`. Must run outside of transactions. */
  assignIds(names: Iterable<string>): (name: string) => number;
  /** Returns the id of a name for queries, or an id that no row has if the name is unknown. */
  idOf(name: string): number;
  /** Returns the name of an id that rows refer to. */
  nameOf(id: number): string;
  /** Deletes those of these subjects that no account uses. Must run inside a transaction. */
  deleteUnused(ids: readonly number[]): void;
}

/** The id that stands for all subjects in rows that hold sums. Ids of subjects begin at 1. */
export const ALL_SUBJECTS = 0;
/** The id that stands for pruned URLs and testers in cells whose counts are still needed. It has no name. */
export const PRUNED_SUBJECT = 0;
const UNKNOWN_ID = -1;

export const createSubjects = (db: Database): Subjects => {
  const selectId = db.sql.prepare<[string], number>('SELECT id FROM subject WHERE text = ?').pluck();
  const insert = db.sql.prepare<[string]>('INSERT INTO subject (text) VALUES (?) ON CONFLICT DO NOTHING');
  const selectName = db.sql.prepare<[number], string>('SELECT text FROM subject WHERE id = ?').pluck();
  const urlTesterPairs = db.sql.prepare<[], { url: number; tester: number }>(
    'SELECT url, tester FROM url_tester',
  );
  // The newest subject is never deleted. Its id would be reused, and older rows would then refer to the new name.
  const deleteUnlessTested = db.sql.prepare<[number]>(
    `DELETE FROM subject WHERE id = ? AND id < (SELECT max(id) FROM subject) AND NOT EXISTS (
       SELECT 1 FROM account JOIN tested_proxy ON account_id = account.id AND proxy = subject.id)`,
  );
  const ids = new Map<string, number>();
  const names = new Map<number, string>();

  const idOf = (name: string): number => {
    const id = ids.get(name) ?? selectId.get(name) ?? UNKNOWN_ID;
    if (id !== UNKNOWN_ID) ids.set(name, id);
    return id;
  };

  return {
    // The ids have a transaction of their own. If a batch rolled them back, a cached id could later get another name.
    assignIds: (names) => {
      const unknown = [...new Set(names)].filter((name) => !ids.has(name));
      if (unknown.length > 0) {
        db.write(() => {
          for (const name of unknown) insert.run(name);
        });
      }
      return idOf;
    },
    idOf,
    nameOf: (id) => {
      const name = names.get(id) ?? selectName.get(id) ?? '';
      names.set(id, name);
      return name;
    },
    deleteUnused: (candidates) => {
      if (candidates.length === 0) return;
      const inUse = new Set(urlTesterPairs.all().flatMap(({ url, tester }) => [url, tester]));
      for (const id of candidates) if (!inUse.has(id)) deleteUnlessTested.run(id);
      // The next use reads the ids again, whether the transaction commits or not.
      ids.clear();
      names.clear();
    },
  };
};
