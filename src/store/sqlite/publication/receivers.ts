// Stores how far each receiver of remote write is, and the batch on its way. Rewinds a receiver without a daemon.

import { DAY } from '../../../lib/time.ts';
import { StoreError } from '../../errors.ts';
import {
  type DueSamples,
  type KeptSamples,
  type KeptSummary,
  LONGEST_WAIT_MS,
  type ReceiverCounts,
  type ReceiverPosition,
  type ReceiverState,
  type RemoteWriteStore,
  type RolledUpHistory,
  type SentCounts,
  type StoredBatch,
  type StreamKey,
} from '../../publication-store.ts';
import { isHere } from '../accounts/accounts.ts';
import { createDatabase, type Database } from '../file/database.ts';
import { lockFile } from '../file/lock.ts';
import { openFile, openFileReadOnly } from '../file/open.ts';
import { createRolledUp, OF_LEDGER } from './publication.ts';

type ReceiverRow = Pick<ReceiverState, 'name' | 'start' | 'refusingSince'> &
  ReceiverCounts & { readonly correction: number };
type BatchRow = Omit<StoredBatch, 'next'> & { readonly next: string };
type DueRow = Omit<DueSamples, 'isRepeat'>;
const NOTHING_KEPT: KeptSummary = { samples: 0, early: 0, earlySince: null, earlyFrom: null };

export const createRemoteWriteStore = (db: Database): RemoteWriteStore => {
  const { sql, prepareValue } = db;
  const find = sql.prepare<[string], ReceiverRow>(
    `SELECT name, start, correction, accepted, refused, expired, bytes, refusing_since AS refusingSince
     FROM remote_write_receiver WHERE name = ?`,
  );
  const names = prepareValue<[], string>('SELECT name FROM remote_write_receiver');
  const positionsOf = sql.prepare<
    [string],
    { readonly stream: number; readonly at: number; readonly start: number }
  >('SELECT publication_id AS stream, at, start FROM remote_write_position WHERE receiver = ?');
  const batchOf = sql.prepare<[string], BatchRow>(
    'SELECT body, samples, next, at FROM remote_write_batch WHERE receiver = ?',
  );
  const deleteBatch = (name: string) => sql.run('DELETE FROM remote_write_batch WHERE receiver = ?', name);
  const keptOf = sql.prepare<[string], KeptSummary>(
    `SELECT coalesce(sum(samples), 0) AS samples, coalesce(sum(iif(is_repeat, 0, samples)), 0) AS early, min(iif(is_repeat, NULL, at)) AS earlySince,
       min(iif(is_repeat, NULL, first_at)) AS earlyFrom FROM remote_write_kept WHERE receiver = ?`,
  );
  const dueOf = sql.prepare<{ name: string; isRepeat: number; now: number }, DueRow>(
    `SELECT id, body, samples, first_at AS firstAt, at, wait_ms AS waitMs FROM remote_write_kept
     WHERE receiver = @name AND is_repeat = @isRepeat
       AND (at + wait_ms <= @now OR at + wait_ms > @now + ${LONGEST_WAIT_MS}) ORDER BY at + wait_ms LIMIT 1`,
  );
  const insertKept = sql.prepare(
    `INSERT INTO remote_write_kept (receiver, body, samples, first_at, at, wait_ms, is_repeat)
     VALUES (@name, @body, @samples, @firstAt, @at, @waitMs, @isRepeat)`,
  );
  const expire = (name: string, samples: number) =>
    sql.run('UPDATE remote_write_receiver SET expired = expired + ? WHERE name = ?', samples, name);
  // Rows of ledgers have dates as if they were in UTC, so the day before belongs to this time in some zones. A receiver
  // that did not reach this time yet stays where it is, and a stream without a position begins at `start`.
  const restartStreams = sql.prepare(
    `UPDATE remote_write_position SET at = min(at, iif(${OF_LEDGER}, @to - ${DAY}, @to)), start = min(start, @to)
     FROM publication WHERE id = publication_id AND receiver = @name`,
  );
  // A stream whose account was deleted meanwhile has no position.
  const putPosition = sql.prepare(
    `INSERT INTO remote_write_position (receiver, publication_id, account_id, at, start)
     SELECT name, id, account_id, @at, start FROM publication, remote_write_receiver WHERE id = @stream AND name = @name
     ON CONFLICT DO UPDATE SET at = max(at, excluded.at)`,
  );
  // Samples that have to wait leave open whether the receiver refuses everything. One that has never accepted anything has
  // taken nothing since its start.
  const count = sql.prepare(
    `UPDATE remote_write_receiver SET accepted = accepted + @accepted, refused = refused + @refused, bytes = bytes + @bytes,
       refusing_since = CASE WHEN @accepted > 0 THEN NULL WHEN @refused = 0 OR @isWaiting THEN refusing_since
         ELSE coalesce(refusing_since, iif(accepted = 0, min(start, @at), @at)) END WHERE name = @name`,
  );
  const sent = (name: string, at: number, counts: SentCounts, kept: readonly KeptSamples[]): void => {
    count.run({ name, at, ...counts, isWaiting: Number(kept.length > 0) });
    for (const samples of kept) insertKept.run({ name, ...samples, isRepeat: Number(samples.isRepeat) });
  };

  const rowOf = (name: string): ReceiverRow => {
    const row = find.get(name);
    if (!row) throw new StoreError('failed', `no receiver of remote write has the name "${name}"`);
    return row;
  };

  const stateOf = (name: string): ReceiverState => {
    const { start, correction, accepted, refused, expired, bytes, refusingSince } = rowOf(name);
    const positions = positionsOf.all(name);
    const streams = new Map(positions.map(({ stream, at }) => [stream, at]));
    const moved = positions.filter((position) => position.start !== start);
    const starts = new Map(moved.map((position) => [position.stream, position.start]));
    const batch = batchOf.get(name);
    return {
      ...{ name, start, starts, position: { streams, correction } },
      batch: batch ? { ...batch, next: parsePosition(batch.next) } : null,
      kept: keptOf.get(name) ?? NOTHING_KEPT,
      counts: { accepted, refused, expired, bytes },
      refusingSince,
    };
  };

  const moveTo = (name: string, { streams, correction }: ReceiverPosition): void => {
    for (const [stream, at] of streams) putPosition.run({ name, stream, at });
    sql.run(
      'UPDATE remote_write_receiver SET correction = max(correction, ?) WHERE name = ?',
      correction,
      name,
    );
  };

  return {
    find: db.reading((name) => (find.get(name) ? stateOf(name) : undefined)),
    open: async (name, start) => {
      const insert = 'INSERT INTO remote_write_receiver (name, start, correction) VALUES (?, ?, 0)';
      if (!db.read(() => find.get(name))) db.write(() => sql.run(insert, name, start));
      return db.read(() => stateOf(name));
    },
    saveBatch: db.writing((name, { body, samples, next, at }, expired = 0) => {
      const position = JSON.stringify({ streams: [...next.streams], correction: next.correction });
      sql.run('INSERT INTO remote_write_batch VALUES (?, ?, ?, ?, ?)', name, body, samples, position, at);
      expire(name, expired);
    }),
    skip: db.writing((name, next, expired) => {
      moveTo(name, next);
      expire(name, expired);
    }),
    completeBatch: db.writing((name, counts, kept = []) => {
      const batch = batchOf.get(name);
      if (!batch) throw new StoreError('failed', `the receiver "${name}" has no batch`);
      moveTo(name, parsePosition(batch.next));
      sent(name, batch.at, counts, kept);
      deleteBatch(name);
    }),
    dueSamples: async (name, isRepeat, now) => {
      const row = db.read(() => dueOf.get({ name, isRepeat: Number(isRepeat), now }));
      return row && { ...row, isRepeat };
    },
    completeKept: db.writing((name, { id, at }, counts, kept) => {
      sql.run('DELETE FROM remote_write_kept WHERE id = ?', id);
      sent(name, at, counts, kept);
    }),
    rewind: db.writing((name, to) => {
      rowOf(name);
      deleteBatch(name);
      // All corrections are sent again, because it is not known which of them the engine lost. It takes equal samples as
      // one.
      sql.run(
        'UPDATE remote_write_receiver SET start = min(start, ?), correction = 0 WHERE name = ?',
        to,
        name,
      );
      restartStreams.run({ name, to });
    }),
    keepOnly: async (kept) => {
      const unknown = db.read(() => names.all()).filter((name) => !kept.includes(name));
      if (unknown.length === 0) return;
      db.write(() => {
        for (const name of unknown) {
          deleteBatch(name);
          sql.run('DELETE FROM remote_write_kept WHERE receiver = ?', name);
          sql.run('DELETE FROM remote_write_position WHERE receiver = ?', name);
          sql.run('DELETE FROM remote_write_receiver WHERE name = ?', name);
        }
      });
    },
  };
};

const parsePosition = (text: string): ReceiverPosition => {
  const { streams, correction } = JSON.parse(text);
  return { streams: new Map(streams), correction };
};

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
  using _lock = lockFile(path);
  using sql = openFile(path);
  const db = createDatabase(sql, 0);
  const receivers = createRemoteWriteStore(db);
  if ((await receivers.find(name)) === undefined) return undefined;
  const rolledUp = createRolledUp(db)(to);
  const begin = wholeFrom(rolledUp);
  await receivers.rewind(name, begin);
  return { to: begin, rolledUp, unsent: db.read(() => db.sql.all<UnsentHistory>(FIND_UNSENT, name)) };
};
