// Notes corrections of published history, and what expires for receivers, in the transaction that changes or deletes rows.

import type { RowValues, StreamKey } from '../../publication-store.ts';
import type { Database } from '../file/database.ts';
import { prepareValue } from '../row.ts';

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

interface LatePosition {
  readonly receiver: string;
  readonly at: number;
}

/** The start of a period that no rolled-up row replaces, so that what nobody got of it has expired, too. */
export const DELETED_FROM = Number.NEGATIVE_INFINITY;

/**
 * Must run inside the transaction of the roll-up, before it deletes rows. `samplesFrom` counts the samples from a time to
 * the end of the period. A receiver that begins at the start of the period, or before it, and got nothing of the period
 * gets the rolled-up row.
 */
type Expire = (
  stream: { readonly accountId: number; readonly source: StreamKey['source']; readonly subject: string },
  period: { readonly from: number; readonly to: number },
  samplesFrom: (at: number) => number,
) => void;

export const createExpiry = ({ sql, replacements }: Database): Expire => {
  const find = prepareValue<[number, string, string], number>(
    sql,
    'SELECT id FROM publication WHERE account_id = ? AND source = ? AND subject = ?',
  );
  // The samples of a stored batch are on their way, so they do not expire. A stream without a position begins at `start`.
  const latePositions = sql.prepare<{ stream: number; from: number; to: number }, LatePosition>(
    `SELECT receiver, max(at) AS at FROM (
       SELECT receiver, at FROM remote_write_position WHERE publication_id = @stream
       UNION ALL
       SELECT receiver, json_extract(value, '$[1]') FROM remote_write_batch, json_each(next, '$.streams')
       WHERE json_extract(value, '$[0]') = @stream
       UNION ALL
       SELECT name, start FROM remote_write_receiver
       WHERE NOT EXISTS (SELECT 1 FROM remote_write_position WHERE receiver = name AND publication_id = @stream)
     ) GROUP BY receiver HAVING max(at) > @from AND max(at) < @to`,
  );
  const move = sql.prepare(
    `INSERT INTO remote_write_position (receiver, publication_id, account_id, at, start)
     SELECT name, ?, ?, ?, start FROM remote_write_receiver WHERE name = ?
     ON CONFLICT DO UPDATE SET at = excluded.at`,
  );
  const count = sql.prepare('UPDATE remote_write_receiver SET expired = expired + ? WHERE name = ?');
  return ({ accountId, source, subject }, { from, to }, samplesFrom) => {
    replacements.count += 1;
    const stream = find.get(accountId, source, subject);
    if (stream === undefined) return;
    for (const { receiver, at } of latePositions.all({ stream, from, to })) {
      count.run(samplesFrom(at), receiver);
      move.run(stream, accountId, to, receiver);
    }
  };
};
