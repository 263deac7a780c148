// Compares the pages of a pass with the stored rows, and finds the rows that a complete pass lacks.

import type { SavedRows, Use, UsePass } from '../../log-summary-store.ts';
import { isWide, type UseValues } from '../../summarised-names.ts';
import type { Database } from '../file/database.ts';
import { deleteInSlices, SLICE_ROWS, walkSlices } from '../slices.ts';
import { STATE, type UseNames, type UseRow, type UseRows } from './rows.ts';

/** Rows of an index that a slice walks, for some milliseconds of CPU. */
const WALKED_ROWS = 5_000;

export const createUsePasses = (db: Database, rows: UseRows, names: UseNames) => {
  const { sql } = db;
  const dropNew = sql.prepare<[number, number]>(
    `DELETE FROM log_summary WHERE account_id = ? AND day = ? AND is_changed = 1 AND state = ${STATE.new} LIMIT ${SLICE_ROWS}`,
  );
  const walk = sql
    .prepare<unknown[], [id: number, user: number, network: number, hostname: number]>(
      `SELECT id, user, network, hostname FROM log_summary WHERE account_id = ? AND day = ?
         AND (user, network, hostname) > (?, ?, ?) ORDER BY user, network, hostname LIMIT ${WALKED_ROWS}`,
    )
    .raw();
  const listedRows = db.prepareValue<[number, number], number>(
    'SELECT listed_rows FROM log_summary_day WHERE account_id = ? AND day = ?',
  );
  const stateOf = db.prepareValue<[number], number>('SELECT state FROM log_summary WHERE id = ?');

  const saveUse = (accountId: number, pass: UsePass, { id, hostname, values, ...use }: Use): Fate => {
    const [user, network, host] = [use.user, use.network, hostname].map((name) =>
      names.idIn(pass, accountId, name),
    ) as [number, number, number];
    const mark = hashOf(id);
    const key = [accountId, pass.day, user, network, host] as const;
    if (isWide(hostname)) pass.groups.add(groupOf(user, network));
    else {
      const same = rows.findSame(key, values);
      if (same !== undefined && pass.marks.get(same) === 0) {
        pass.seenRows += 1;
        pass.marks.set(same, mark);
        return 'same';
      }
    }
    const stored = rows.find(...key);
    if (!stored) {
      pass.marks.set(rows.insert(key, values), mark);
      return 'added';
    }
    const seen = pass.marks.get(stored.id);
    const before = stored.isChanged && seen !== 0 ? stored.next : answeredOf(stored);
    const next = valuesOfIds(pass, stored.id, { seen, mark, before, values });
    const answered = answeredOf(stored);
    const isAsStored = stored.state === STATE.listed && isSame(next, answered);
    if (stored.moved.some((value) => value)) pass.groups.add(groupOf(user, network));
    pass.hasFallen ||= hasFallen(next, answered);
    if (!isAsStored) rows.stage(stored.id, next);
    else if (stored.isChanged) rows.clean(stored.id);
    if (seen !== 0) return isAsStored ? 'same' : 'changed';
    if (stored.state === STATE.listed || stored.state === STATE.missed) pass.seenRows += 1;
    pass.marks.set(stored.id, mark);
    return isAsStored ? 'same' : 'changed';
  };

  /** Marks as changed the listed rows that the pass did not see, slice by slice. */
  const findMissing = async (accountId: number, pass: UsePass): Promise<void> => {
    if (pass.seenRows === (db.read(() => listedRows.get(accountId, pass.day)) ?? 0)) return;
    await walkSlices([0, 0, 0], (after) =>
      db.write(() => {
        const slice = walk.all(accountId, pass.day, ...after);
        for (const [id, user, network] of slice) {
          if (pass.marks.get(id) !== 0) continue;
          const state = stateOf.get(id);
          if (state !== STATE.listed && state !== STATE.missed) continue;
          rows.stage(id, NOTHING_GIVEN);
          pass.groups.add(groupOf(user, network));
        }
        return slice.at(-1)?.slice(1);
      }),
    );
  };

  return {
    /** Drops what an interrupted pass has staged. What it staged of known rows is staged again or compared equal. */
    begin: async (accountId: number, day: number): Promise<void> => {
      const slices = [
        () => dropNew.run(accountId, day).changes,
        () => {
          const changed = rows.changedAfter(accountId, day, 0, 0, 0, SLICE_ROWS);
          for (const { id } of changed) rows.clean(id);
          return changed.length;
        },
      ];
      for (const slice of slices) {
        if (db.read(() => rows.changedAfter(accountId, day, 0, 0, 0, 1)).length === 0) return;
        await deleteInSlices(db, slice);
      }
    },
    saveRows: <T extends Use>(accountId: number, pass: UsePass, uses: readonly T[]): SavedRows<T> => {
      const saved: Record<Fate, T[]> = { added: [], changed: [], same: [] };
      try {
        db.write(() => {
          for (const use of uses) saved[saveUse(accountId, pass, use)].push(use);
        });
        return saved;
      } catch (error) {
        // The numbers of new names were undone.
        pass.names.clear();
        throw error;
      }
    },
    findMissing,
  };
};

type Fate = keyof SavedRows<Use> | 'same';

const NOTHING_GIVEN: UseValues = [null, null, null, null];

export const groupOf = (user: number, network: number): string => `${user} ${network}`;

/** What the newest settled answer listed under the name. */
export const answeredOf = ({ counted, moved }: UseRow): UseValues =>
  counted.map((value, i) => (value === null ? null : value - (moved[i] ?? 0)));

export const isSame = (one: UseValues, other: UseValues): boolean =>
  one.every((value, i) => value === other[i]);

const hasFallen = (next: UseValues, before: UseValues): boolean =>
  next.some((value, i) => value !== null && value < (before[i] ?? 0));

interface Sighting {
  readonly seen: number;
  readonly mark: number;
  readonly before: UseValues;
  readonly values: UseValues;
}

/**
 * Returns the values of a row: if it comes with several ids, which are two rows with one name, the sum of the newest ones of
 * each. A value that is not given stays as it was.
 */
const valuesOfIds = (pass: UsePass, id: number, { seen, mark, before, values }: Sighting): UseValues => {
  const known = pass.repeated.get(id);
  if (!known && (seen === 0 || seen === mark)) return filled(values, before);
  const byId = known ?? new Map([[seen, before]]);
  pass.repeated.set(id, byId.set(mark, filled(values, byId.get(mark))));
  return [...byId.values()].reduce((sum, each) =>
    sum.map((value, i) => (value === null ? (each[i] ?? null) : value + (each[i] ?? 0))),
  );
};

const filled = (values: UseValues, before: UseValues | undefined): UseValues =>
  values.map((value, i) => value ?? before?.[i] ?? null);

/** FNV-1a; never 0, which stands for a row that was not seen. */
const hashOf = (id: string): number => {
  let hash = 0x811c9dc5;
  for (let i = 0; i < id.length; i += 1) hash = Math.imul(hash ^ id.charCodeAt(i), 0x01000193);
  return hash >>> 0 || 1;
};
