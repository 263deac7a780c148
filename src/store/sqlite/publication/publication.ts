// Stores what of the history is published, and reads its corrections.

import type {
  Correction,
  PublicationStore,
  PublishedStream,
  RolledUpHistory,
} from '../../publication-store.ts';
import { isHere } from '../accounts/accounts.ts';
import type { Database } from '../file/database.ts';

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
    streams: async () => db.read(() => sql.all<PublishedStream>(streams)),
    publish: async ({ account, source, subject }, until) => {
      const accountId = db.accountId(account);
      const known = db.read(() => find.get(accountId, source, subject));
      if (known && known.until >= until) return known;
      db.write(() => put.run(accountId, source, subject, until));
      const published = db.read(() => find.get(accountId, source, subject));
      if (!published) throw new Error('the stream was published and is not stored');
      return published;
    },
    correctionsOf: async (stream, { from, to }) =>
      db.read(() => within.all(stream, from, to)).map(toCorrection),
    correctionsAfter: async (sequence, limit) => db.read(() => after.all(sequence, limit)).map(toCorrection),
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
