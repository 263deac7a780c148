// Counts the writes of each part of the store, so that readers can tell whether anything is new without reading it.

import type { StorePart } from '../store.ts';
import type { Database } from './file/database.ts';

/** What concerns every part, such as maintenance. */
type Counted = StorePart | 'all';

export class Revisions {
  readonly #writes = new Map<Counted, number>();

  /** The database, with its writes counted as those of the part. */
  counted(db: Database, part: Counted): Database {
    const write = <T>(work: () => T): T => {
      try {
        return db.write(work);
      } finally {
        // Afterwards: who reads in between finds the old state under the old number, and not the new one.
        this.#writes.set(part, this.#of(part) + 1);
      }
    };
    return { ...db, write };
  }

  of(parts: readonly StorePart[]): number {
    return parts.reduce((sum, part) => sum + this.#of(part), this.#of('all'));
  }

  #of(part: Counted): number {
    return this.#writes.get(part) ?? 0;
  }
}
