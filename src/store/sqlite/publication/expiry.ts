// Moves receivers that were away too long behind a period that is rolled up: what they did not get of it has expired.

import type { StreamKey } from '../../publication-store.ts';
import type { Database } from '../file/database.ts';

interface LatePosition {
  readonly receiver: string;
  readonly stream: number;
  readonly at: number;
}

/**
 * Must run inside the transaction of the roll-up, before it deletes rows. `samplesFrom` counts the samples from a time to
 * the end of the period. A receiver that got nothing of the period gets the rolled-up row.
 */
export type Expire = (
  stream: { readonly accountId: number; readonly source: StreamKey['source']; readonly subject: string },
  period: { readonly from: number; readonly to: number },
  samplesFrom: (at: number) => number,
) => void;

export const createExpiry = ({ sql }: Database): Expire => {
  const latePositions = sql.prepare<[number, string, string, number, number], LatePosition>(
    `SELECT receiver, publication_id AS stream, position.at FROM publication
     JOIN remote_write_position AS position ON publication_id = publication.id
     WHERE publication.account_id = ? AND source = ? AND subject = ? AND position.at > ? AND position.at < ?`,
  );
  const move = sql.prepare(
    'UPDATE remote_write_position SET at = ? WHERE receiver = ? AND publication_id = ?',
  );
  const count = sql.prepare('UPDATE remote_write_receiver SET expired = expired + ? WHERE name = ?');
  return ({ accountId, source, subject }, { from, to }, samplesFrom) => {
    for (const { receiver, stream, at } of latePositions.all(accountId, source, subject, from, to)) {
      count.run(samplesFrom(at), receiver);
      move.run(to, receiver, stream);
    }
  };
};
