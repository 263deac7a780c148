// Moves receivers that were away too long behind a period that is rolled up or deleted: what they did not get of it has
// expired.

import type { StreamKey } from '../../publication-store.ts';
import type { Database } from '../file/database.ts';

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
export type Expire = (
  stream: { readonly accountId: number; readonly source: StreamKey['source']; readonly subject: string },
  period: { readonly from: number; readonly to: number },
  samplesFrom: (at: number) => number,
) => void;

export const createExpiry = ({ sql, replacements }: Database): Expire => {
  const find = sql
    .prepare<[number, string, string], number>(
      'SELECT id FROM publication WHERE account_id = ? AND source = ? AND subject = ?',
    )
    .pluck();
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
