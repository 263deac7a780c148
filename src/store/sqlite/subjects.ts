// Names that stand in many rows, each kept once and referred to by number.

import type { Database } from './database.ts';

export interface Subjects {
  /** The numbers of names, given to those that are new, in a transaction of its own. Outside of transactions. */
  learn(names: Iterable<string>): (name: string) => number;
  /** The number of a name for reading; that of no rows when it is not known. */
  find(name: string): number;
  /** The name of a number that rows refer to. */
  name(id: number): string;
}

/** Stands for all subjects where rows are summed up; their own numbers begin at 1. */
export const ALL_SUBJECTS = 0;
const UNKNOWN = -1;

export const createSubjects = (db: Database): Subjects => {
  const read = db.sql.prepare<[string], number>('SELECT id FROM subject WHERE text = ?').pluck();
  const insert = db.sql.prepare<[string]>('INSERT INTO subject (text) VALUES (?) ON CONFLICT DO NOTHING');
  const readName = db.sql.prepare<[number], string>('SELECT text FROM subject WHERE id = ?').pluck();
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
  };
};
