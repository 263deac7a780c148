// Stores what is published, its corrections, and what expires for receivers, in the transaction that changes rows.

import { DAY } from '../../../lib/time.ts';
import type {
  Correction,
  PublicationStore,
  PublishedStream,
  RolledUpHistory,
  RowValues,
  StreamKey,
} from '../../publication-store.ts';
import { isHere } from '../accounts/accounts.ts';
import type { Database } from '../file/database.ts';
import { ofAccount, shifted, type Tables } from '../table.ts';

/** A row of history is at most a day long, and two days leave room for changes of the clock's offset. */
const LONGEST_ROW_MS = 2 * DAY;

/** Rows of ledgers have dates, and stay forever. */
export const OF_LEDGER = `source IN ('ledger', 'mobile_ledger')`;

// A stream without a position begins at `start`. For a ledger, that can be up to a day earlier: see restartStreams.
const POSITIONS = `(SELECT * FROM source.remote_write_position
  UNION ALL SELECT name, publication.id, account_id, iif(${OF_LEDGER}, start - ${DAY}, start), start
    FROM source.publication, source.remote_write_receiver AS receiver WHERE NOT EXISTS (
      SELECT 1 FROM source.remote_write_position WHERE receiver = name AND publication_id = publication.id))`;

export const PUBLICATION_TABLES = {
  publication: {
    times: ['until', 'closed_until'],
    highest: `SELECT coalesce(max(id), 0) FROM (SELECT seq AS id FROM main.sqlite_sequence WHERE name = 'publication'
      UNION ALL SELECT publication_id FROM main.correction
      UNION ALL SELECT value ->> '$[0]' FROM main.remote_write_batch, json_each(next, '$.streams'))`,
    move: ofAccount({ id: shifted('id', 'publication') }),
  },
  correction: {
    // The ledgers' rows stay forever, so their corrections stay, too. Those of other rows stay as long as the row, which
    // is deleted when the newest of its day is old enough: otherwise the row would lose its first value before.
    expired: `at < @oldest - ${LONGEST_ROW_MS}
      AND publication_id IN (SELECT id FROM publication WHERE account_id = @accountId AND NOT ${OF_LEDGER})`,
    highest: "SELECT coalesce(max(seq), 0) FROM main.sqlite_sequence WHERE name = 'correction'",
    move: ofAccount({
      sequence: shifted('sequence', 'correction'),
      publication_id: shifted('publication_id', 'publication'),
    }),
  },
  remote_write_position: {
    times: ['at', 'start'],
    move: { ...ofAccount({ publication_id: shifted('publication_id', 'publication') }), from: POSITIONS },
  },
  remote_write_receiver: {
    times: ['start', 'refusing_since'],
    move: 'about all accounts of the store; its start moves with the positions',
  },
  remote_write_batch: {
    times: ['at'],
    move: 'already formed, so both stores send its samples, which are equal but for revised averages and maxima',
  },
  remote_write_kept: {
    times: ['at'],
    move: 'already formed, so the store that keeps the samples sends them',
  },
} as const satisfies Tables;

export interface CorrectableStream {
  readonly id: number;
  readonly accountId: number;
  /** Rows in [from, until) are published and can be corrected. */
  readonly from: number;
  readonly until: number;
}

export const createCorrections = ({ sql, replacements }: Database) => {
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
    /** Undefined if nothing of the stream is published, which is always so without a receiver. */
    streamOf: (
      accountId: number,
      source: StreamKey['source'],
      subject: string,
    ): CorrectableStream | undefined => find.get(accountId, source, subject),
    /** Stores the differences (see `differencesOf`) as one correction, if the row at this time is published. */
    note: ({ id, accountId, from, until }: CorrectableStream, at: number, differences: RowValues): void => {
      if (at < from || at >= until) return;
      if (differences.some((difference) => difference !== null))
        insert.run({ id, accountId, at, differences: JSON.stringify(differences) });
    },
    /** Forgets that the rows so far can be corrected, because they are deleted, to be read again. */
    close: (accountId: number, source: StreamKey['source'], subject: string): void => {
      replacements.count += 1;
      closeStream.run(accountId, source, subject);
    },
  };
};

export type Corrections = ReturnType<typeof createCorrections>;

/** Returns what `after` adds to `before`; null for values that stay. An unknown value counts as 0, so corrections add up. */
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

export const createExpiry = ({ sql, replacements, prepareValue }: Database): Expire => {
  const find = prepareValue<[number, string, string], number>(
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

type CorrectionRow = Omit<Correction, 'differences'> & { readonly differences: string };

const STREAM = `SELECT publication.id, account.name AS account, source, subject, until
  FROM publication JOIN account ON account.id = publication.account_id`;
const CORRECTION = 'SELECT sequence, publication_id AS stream, at, revision, differences FROM correction';

export const createPublicationStore = (db: Database): PublicationStore => {
  const { sql, prepareValue } = db;
  const streams = `${STREAM} WHERE ${isHere('account.name')} ORDER BY publication.id`;
  const find = sql.prepare<[number, string, string], PublishedStream>(
    `${STREAM} WHERE account_id = ? AND source = ? AND subject = ?`,
  );
  const put = sql.prepare(
    `INSERT INTO publication (account_id, source, subject, until) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET until = max(until, excluded.until)`,
  );
  const within = sql.prepare<[number, number, number], CorrectionRow>(
    `${CORRECTION} WHERE publication_id = ? AND at >= ? AND at < ? ORDER BY at, revision`,
  );
  const after = sql.prepare<[number, number], CorrectionRow>(
    `${CORRECTION} WHERE sequence > ?
       AND ${isHere('(SELECT name FROM account WHERE account.id = account_id)')} ORDER BY sequence LIMIT ?`,
  );
  const rolledUp = createRolledUp(db);
  const newest = prepareValue<[], number>('SELECT coalesce(max(sequence), 0) FROM correction');
  const newestCorrection = (): number => db.read(() => newest.get()) ?? 0;

  return {
    streams: db.reading(() => sql.all<PublishedStream>(streams)),
    publish: async ({ account, source, subject }, until) => {
      const accountId = db.accountId(account);
      const known = db.read(() => find.get(accountId, source, subject));
      if (known && known.until >= until) return known;
      db.write(() => put.run(accountId, source, subject, until));
      const published = db.read(() => find.get(accountId, source, subject));
      if (!published) throw new Error('the stream was published and is not stored');
      return published;
    },
    correctionsOf: db.reading((stream, { from, to }) => within.all(stream, from, to).map(toCorrection)),
    correctionsAfter: db.reading((sequence, limit) => after.all(sequence, limit).map(toCorrection)),
    version: async () => `${newestCorrection()} ${db.replacements.count}`,
    rolledUp: async (at) => rolledUp(at),
    newestCorrection: async () => newestCorrection(),
  };
};

const toCorrection = ({ differences, ...row }: CorrectionRow): Correction => ({
  ...row,
  differences: JSON.parse(differences),
});

const RESOLUTIONS = `(SELECT 'hourly' AS resolution UNION ALL SELECT 'daily')`;

/** Each subquery finds one row by its index, because a store can have millions of rows. */
const NEWEST_END = `SELECT coalesce(max(until), 0) FROM (
  SELECT (SELECT at + width_ms FROM rolled_up_bucket AS bucket WHERE graph_id = graph.id
    AND bucket.resolution = width.resolution ORDER BY at DESC LIMIT 1) AS until FROM graph, ${RESOLUTIONS} AS width
  UNION ALL
  SELECT (SELECT max(until) FROM user_usage AS period WHERE account_id = account.id
    AND period.resolution = width.resolution) FROM account, ${RESOLUTIONS} AS width)`;

const FIRST_START = `SELECT coalesce(min(start), @at) FROM (
  SELECT (SELECT iif(at + width_ms > @at, at, NULL) FROM rolled_up_bucket AS bucket WHERE graph_id = graph.id
    AND bucket.resolution = width.resolution AND at < @at ORDER BY at DESC LIMIT 1) AS start
  FROM graph, ${RESOLUTIONS} AS width)`;

export const createRolledUp = ({ read, prepareValue }: Database): ((at: number) => RolledUpHistory) => {
  const newestEnd = prepareValue<[], number>(NEWEST_END);
  const firstStart = prepareValue<{ at: number }, number>(FIRST_START);
  return (at) => read(() => ({ until: newestEnd.get() ?? 0, from: firstStart.get({ at }) ?? at }));
};
