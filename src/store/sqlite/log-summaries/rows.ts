// Describes the tables of log summaries, and finds rows and the numbers of their names.

import { DAY } from '../../../lib/time.ts';
import type { UsePass } from '../../log-summary-store.ts';
import type { UseValues } from '../../summarised-names.ts';
import type { Database } from '../file/database.ts';
import { ofAccount, shifted, type Tables } from '../table.ts';

const NAMES = ['user', 'network', 'hostname'] as const;

export const LOG_SUMMARY_TABLES = {
  log_summary_name: {
    expired: 'seen_day < @oldest',
    highest: 'SELECT coalesce(max(id), 0) FROM main.log_summary_name',
    move: ofAccount({ id: shifted('id', 'log_summary_name') }),
  },
  log_summary: {
    expired: 'day < @oldest',
    move: ofAccount({
      id: 'NULL',
      ...Object.fromEntries(NAMES.map((name) => [name, shifted(name, 'log_summary_name')])),
    }),
  },
  // A day whose rows are deleted must not be read again, so it stays for as long as the provider could list it.
  log_summary_day: { times: ['read_at'], expired: `day < @oldest - ${100 * DAY}`, move: ofAccount() },
  log_summary_top: { move: ofAccount() },
} as const satisfies Tables;

/** What a row is: new and not settled, listed, missing from the newest listing, or listed under a wider name. */
export const STATE = { new: 0, listed: 1, missed: 2, moved: 3 } as const;

const FIELDS = ['bytes', 'requests', 'charged_bytes', 'charged_requests'] as const;
const columns = (prefix = ''): string => FIELDS.map((field) => prefix + field).join(', ');

/** A row, with its values in the order of UseValues. */
export interface UseRow {
  readonly id: number;
  readonly user: number;
  readonly network: number;
  readonly hostname: number;
  readonly state: number;
  readonly isChanged: boolean;
  readonly counted: UseValues;
  readonly moved: UseValues;
  /** The newest answer, if it changed. */
  readonly next: UseValues;
}

type Raw = readonly (number | null)[];
const KEYS = ['id', 'user', 'network', 'hostname', 'state', 'is_changed'];
const SELECTED = `${KEYS.join(', ')}, ${columns()}, ${columns('moved_')}, ${columns('next_')}`;

const rowOf = (raw: Raw): UseRow => {
  const [id = 0, user = 0, network = 0, hostname = 0, state = 0, isChanged] = raw as number[];
  const at = KEYS.length;
  return {
    ...{ id, user, network, hostname, state, isChanged: isChanged === 1 },
    counted: raw.slice(at, at + 4),
    moved: raw.slice(at + 4, at + 8),
    next: raw.slice(at + 8, at + 12),
  };
};

/** All operations must run inside a transaction. */
export const createUseRows = ({ sql, prepareValue }: Database) => {
  const select = (where: string) =>
    sql
      .prepare<unknown[], Raw>(
        `SELECT ${SELECTED} FROM log_summary WHERE account_id = ? AND day = ? AND ${where}`,
      )
      .raw();
  const rows = (where: string) => {
    const statement = select(where);
    return (...values: number[]): UseRow[] => statement.all(...values).map(rowOf);
  };
  const find = select('user = ? AND network = ? AND hostname = ?');
  const findSame = prepareValue<number[], number>(
    `SELECT id FROM log_summary WHERE account_id = ? AND day = ? AND user = ? AND network = ? AND hostname = ?
     AND state = ${STATE.listed} AND is_changed = 0
     AND ${FIELDS.map((field) => `${field} = ? AND coalesce(moved_${field}, 0) = 0`).join(' AND ')}`,
  );
  const insert = sql.prepare(
    `INSERT INTO log_summary (account_id, day, user, network, hostname, state, is_changed, ${columns('next_')})
     VALUES (?, ?, ?, ?, ?, ${STATE.new}, 1, ?, ?, ?, ?)`,
  );
  const setOf = (prefix: string) => FIELDS.map((field) => `${prefix}${field} = ?`).join(', ');
  const stage = sql.prepare(`UPDATE log_summary SET is_changed = 1, ${setOf('next_')} WHERE id = ?`);
  const CLEAN = `is_changed = 0, ${FIELDS.map((field) => `next_${field} = NULL`).join(', ')}`;
  const clean = sql.prepare(`UPDATE log_summary SET ${CLEAN} WHERE id = ?`);
  const settle = sql.prepare(
    `UPDATE log_summary SET ${CLEAN}, state = ?, ${setOf('')}, ${setOf('moved_')} WHERE id = ?`,
  );
  const remove = sql.prepare('DELETE FROM log_summary WHERE id = ?');
  return {
    find: (
      accountId: number,
      day: number,
      user: number,
      network: number,
      host: number,
    ): UseRow | undefined => {
      const raw = find.get(accountId, day, user, network, host);
      return raw && rowOf(raw);
    },
    /** Returns the number of a listed row that has these values and keeps nothing of a wider name. Most rows of a pass are such. */
    findSame: (key: readonly number[], values: UseValues): number | undefined =>
      findSame.get(...key, ...(values as number[])),
    ofGroup: rows('user = ? AND network = ?'),
    /** Returns changed rows in the order of their names, after those names. */
    changedAfter: rows(
      'is_changed = 1 AND (user, network, hostname) > (?, ?, ?) ORDER BY user, network, hostname LIMIT ?',
    ),
    /** Returns the number of the new row. */
    insert: (key: readonly number[], next: UseValues): number =>
      Number(insert.run(...key, ...next).lastInsertRowid),
    stage: (id: number, next: UseValues) => stage.run(...next, id),
    clean: (id: number) => clean.run(id),
    settle: (id: number, state: number, counted: UseValues, moved: UseValues) =>
      settle.run(state, ...counted, ...moved, id),
    remove: (id: number) => remove.run(id),
  };
};

export type UseRows = ReturnType<typeof createUseRows>;

const MAX_CACHED_NAMES = 100_000;

/** The numbers of the names of users, networks and hosts. All operations must run inside a transaction. */
export const createUseNames = ({ sql, prepareValue }: Database) => {
  const put = prepareValue<[number, string, number], number>(
    `INSERT INTO log_summary_name (account_id, text, seen_day) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET seen_day = max(seen_day, excluded.seen_day) RETURNING id`,
  );
  const find = sql.prepare<[number, string], { readonly id: number; readonly seenDay: number }>(
    'SELECT id, seen_day AS seenDay FROM log_summary_name WHERE account_id = ? AND text = ?',
  );
  const text = prepareValue<[number], string>('SELECT text FROM log_summary_name WHERE id = ?');
  return {
    /** Returns the number of a name that the day of the pass has, which is a new one if need be. */
    idIn: ({ day, names }: UsePass, accountId: number, name: string): number => {
      const known = names.get(name);
      if (known !== undefined) return known;
      const stored = find.get(accountId, name);
      const id = stored && stored.seenDay >= day ? stored.id : (put.get(accountId, name, day) ?? 0);
      if (names.size >= MAX_CACHED_NAMES) names.clear();
      names.set(name, id);
      return id;
    },
    /** Returns undefined for a name that no row has. */
    idOf: (accountId: number, name: string): number | undefined => find.get(accountId, name)?.id,
    textOf: (id: number): string => text.get(id) ?? '',
  };
};

export type UseNames = ReturnType<typeof createUseNames>;
