// Notes corrections of published history, inside of the transaction that changes a row.

import type { RowValues, StreamKey } from '../../publication-store.ts';
import type { Database } from '../file/database.ts';

export interface CorrectableStream {
  readonly id: number;
  readonly accountId: number;
  /** Rows in [from, until) are published and can be corrected. */
  readonly from: number;
  readonly until: number;
}

export interface Corrections {
  /** Undefined if nothing of the stream is published, which is always so without a receiver. */
  streamOf(accountId: number, source: StreamKey['source'], subject: string): CorrectableStream | undefined;
  /** Stores the differences (see `differencesOf`) as one correction, if the row at this time is published. */
  note(stream: CorrectableStream, at: number, differences: RowValues): void;
  /** Forgets that the rows so far can be corrected, because they are deleted, to be read again. */
  close(accountId: number, source: StreamKey['source'], subject: string): void;
}

export const createCorrections = ({ sql, replacements }: Database): Corrections => {
  const find = sql.prepare<[number, string, string], CorrectableStream>(
    `SELECT id, account_id AS accountId, closed_until AS "from", until FROM publication
     WHERE account_id = ? AND source = ? AND subject = ?`,
  );
  const insert = sql.prepare(
    `INSERT INTO correction (account_id, publication_id, at, revision, differences)
     SELECT @accountId, @id, @at, 1 + coalesce(max(revision), 0), @differences FROM correction
     WHERE publication_id = @id AND at = @at`,
  );
  const closeStream = sql.prepare(
    'UPDATE publication SET closed_until = until WHERE account_id = ? AND source = ? AND subject = ?',
  );
  return {
    streamOf: (accountId, source, subject) => find.get(accountId, source, subject),
    note: ({ id, accountId, from, until }, at, differences) => {
      if (at < from || at >= until) return;
      if (differences.some((difference) => difference !== null))
        insert.run({ id, accountId, at, differences: JSON.stringify(differences) });
    },
    close: (accountId, source, subject) => {
      replacements.count += 1;
      closeStream.run(accountId, source, subject);
    },
  };
};

/**
 * Returns what `after` adds to `before`; null for values that stay. A value that was not known counts as 0, so that all
 * corrections of a row that came late add up to its values.
 */
export const differencesOf = (before: RowValues, after: RowValues): RowValues =>
  after.map((value, index) => {
    const difference = (value ?? 0) - (before[index] ?? 0);
    return difference === 0 ? null : difference;
  });
