// Rewinds a receiver of remote write in the file of a store, while no daemon uses it.

import type { RolledUpHistory, StreamKey } from '../../publication-store.ts';
import { createDatabase } from '../file/database.ts';
import { lockFile } from '../file/lock.ts';
import { openFile, openFileReadOnly } from '../file/open.ts';
import { isHere } from '../move/moves.ts';
import { createRolledUp } from './publication.ts';
import { createRemoteWriteStore } from './receivers.ts';

/** History that a receiver gets, of all streams of a source. Times are starts of rows (ms). */
export interface UnsentHistory extends Pick<StreamKey, 'account' | 'source'> {
  readonly from: number;
  readonly until: number;
}

const FIND_UNSENT = `
  SELECT account.name AS account, source, min(coalesce(position.at, receiver.start)) AS "from", max(until) AS until
  FROM publication
  JOIN account ON account.id = publication.account_id
  JOIN remote_write_receiver AS receiver ON receiver.name = ?
  LEFT JOIN remote_write_position AS position
    ON position.receiver = receiver.name AND position.publication_id = publication.id
  WHERE coalesce(position.at, receiver.start) < until AND ${isHere('account.name')}
  GROUP BY account.name, source ORDER BY account.name, source`;

/** Throws StoreError if there is no store, or while a daemon uses it. */
export const assertUnused = (path: string): void => {
  openFileReadOnly(path).close();
  lockFile(path).close();
};

export interface Rewound {
  /** The time to which the receiver is rewound (ms). */
  readonly to: number;
  readonly rolledUp: RolledUpHistory;
  /** The published history that the receiver gets after it. */
  readonly unsent: readonly UnsentHistory[];
}

/**
 * Rewinds to the time that `wholeFrom` makes of how the store has the history around `to` (ms). Returns undefined if the
 * store does not know the receiver. Throws StoreError, and changes nothing, while a daemon runs, if there is no store, or
 * if an older version wrote it.
 */
export const rewindReceiver = async (
  path: string,
  name: string,
  to: number,
  wholeFrom: (rolledUp: RolledUpHistory) => number = () => to,
): Promise<Rewound | undefined> => {
  // Only the daemon creates a store or upgrades it.
  openFileReadOnly(path).close();
  using stack = new DisposableStack();
  stack.adopt(lockFile(path), (lock) => lock.close());
  const sql = stack.adopt(openFile(path), (connection) => connection.close());
  const db = createDatabase(sql, 0, () => {});
  const find = sql.prepare('SELECT 1 FROM remote_write_receiver WHERE name = ?');
  if (db.read(() => find.get(name)) === undefined) return undefined;
  const rolledUp = createRolledUp(db)(to);
  const begin = wholeFrom(rolledUp);
  await createRemoteWriteStore(db).rewind(name, begin);
  const findUnsent = sql.prepare<[string], UnsentHistory>(FIND_UNSENT);
  return { to: begin, rolledUp, unsent: db.read(() => findUnsent.all(name)) };
};
