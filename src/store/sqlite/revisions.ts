// Counts the writes that change a part of the store, so that readers know whether a part has changed without reading it.

import type { StorePart } from '../store.ts';
import type { Database } from './file/database.ts';
import { prepareValue } from './row.ts';

/** `all` is for writes that may change any part, such as maintenance. */
type RevisionScope = StorePart | 'all';

export class Revisions {
  readonly #writes = new Map<RevisionScope, number>();

  /** Returns the database with its writes counted for the part. */
  track(db: Database, part: RevisionScope): Database {
    const changedRows = prepareValue<[], number>(db.sql, 'SELECT total_changes()');
    const write = <T>(work: () => T): T => {
      let [before, after]: (number | undefined)[] = [];
      try {
        return db.write(() => {
          before = changedRows.get();
          const result = work();
          after = changedRows.get();
          return result;
        });
      } finally {
        // The number rises after the write, so that a reader never sees the old state under the new number. Most slices
        // of maintenance change nothing.
        if (before !== after) this.#writes.set(part, this.#of(part) + 1);
      }
    };
    return { ...db, write };
  }

  of(parts: readonly StorePart[]): number {
    return parts.reduce((sum, part) => sum + this.#of(part), this.#of('all'));
  }

  #of(part: RevisionScope): number {
    return this.#writes.get(part) ?? 0;
  }
}
