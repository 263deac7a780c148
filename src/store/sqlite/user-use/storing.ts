// Stores what users used since the last hour that is stored, in slices that leave the event loop free in between.

import { type LocalHour, lastEndedHour, localHourOf } from '../../../lib/local-days.ts';
import { METERED_TYPES, type MeteredType } from '../../../lib/product-types.ts';
import type { UsePeriod, UserUseStore } from '../../user-use-store.ts';
import type { Database } from '../file/database.ts';
import { walkSlices } from '../slices.ts';
import { createUseDays, type GivenRow, isGiven } from './use-periods.ts';
import { createUseRows } from './use-rows.ts';

/** Users that a slice reads, and days that it changes or searches: each is some milliseconds of CPU. */
const SLICE_USERS = 250;
const SLICE_DAYS = 150;

interface UserRow extends GivenRow {
  readonly user: number;
  readonly id: string;
  readonly residential: number;
  readonly mobile: number;
  readonly mark: number | null;
  readonly days: number;
  readonly storedResidential: number;
  readonly storedMobile: number;
  readonly isRemoved: number;
}

interface Progress {
  readonly baselinedAt: number | null;
  readonly countedStartedAt: number | null;
  readonly storedUntil: number | null;
  readonly storingHour: number | null;
}

/** The hour that a pass stores, and the listings between which its bytes were counted. */
interface Pass {
  readonly hour: LocalHour;
  readonly period: UsePeriod;
  /** The types of which the provider gave any user's used bytes, as far as the pass has read the users. */
  readonly given: Set<MeteredType>;
}

export const createUseStoring = (db: Database): UserUseStore['store'] => {
  const { sql } = db;
  const rows = createUseRows(db);
  const days = createUseDays(db);
  const progressOf = sql.prepare<[number], Progress>(
    `SELECT baselined_at AS baselinedAt, counted_started_at AS countedStartedAt,
       use_stored_until AS storedUntil, use_storing_hour AS storingHour
     FROM listing WHERE account_id = ? AND collector = 'proxy_users'`,
  );
  const setProgress = sql.prepare<[number | null, number, number]>(
    `UPDATE listing SET use_storing_hour = ?, use_stored_until = ?
     WHERE account_id = ? AND collector = 'proxy_users'`,
  );
  const usersAfter = sql.prepare<[number, string], UserRow>(
    `SELECT u.rowid AS user, u.id, u.residential_net AS residential, u.mobile_net AS mobile, m.id AS mark,
       coalesce(m.days, 0) AS days,
       coalesce(m.residential_net, 0) AS storedResidential, coalesce(m.mobile_net, 0) AS storedMobile,
       u.residential_used, u.mobile_used, u.expired_values, u.removed_since IS NOT NULL AS isRemoved
     FROM proxy_user u LEFT JOIN user_use_mark m ON m.user = u.rowid
     WHERE u.account_id = ? AND u.id > ? ORDER BY u.id LIMIT ${SLICE_USERS}`,
  );
  const insertMark = sql.prepare<[number, number]>(
    'INSERT INTO user_use_mark (account_id, user, residential_net, mobile_net, days, bytes) VALUES (?, ?, 0, 0, 0, 0)',
  );
  const updateMark = sql.prepare<[number, number, number, number, number]>(
    `UPDATE user_use_mark SET residential_net = ?, mobile_net = ?, days = days + ?, bytes = bytes + ?
     WHERE id = ?`,
  );

  /** Returns how many days it changed or searched. */
  const storeUser = (accountId: number, hour: LocalHour, row: UserRow): number => {
    const mark = row.mark ?? Number(insertMark.run(accountId, row.user).lastInsertRowid);
    const growth = {
      residential: row.residential - row.storedResidential,
      mobile: row.mobile - row.storedMobile,
    };
    const change = rows.add({ accountId, mark, days: row.days }, hour, growth);
    updateMark.run(row.residential, row.mobile, change.days, change.bytes, mark);
    return change.searched;
  };

  /** Returns the last id of the slice, or undefined if no users are left. */
  const storeSlice = (
    accountId: number,
    { hour, period, given }: Pass,
    after: string,
  ): string | undefined => {
    const users = usersAfter.all(accountId, after);
    let searched = 0;
    for (const row of users) {
      addGivenTypes(given, row, period.until);
      if (row.residential === row.storedResidential && row.mobile === row.storedMobile) continue;
      searched += storeUser(accountId, hour, row);
      if (searched >= SLICE_DAYS) return row.id;
    }
    return users.length < SLICE_USERS ? undefined : users.at(-1)?.id;
  };

  return async (account, zone, signal) => {
    const accountId = db.knownAccountId(account);
    const pass = db.read(() => passOf(progressOf.get(accountId), zone));
    if (!pass) return false;
    const { hour, period } = pass;
    db.write(() => setProgress.run(hour.start, period.since, accountId));
    const slice = (after: string) => db.write(() => storeSlice(accountId, pass, after));
    if (!(await walkSlices('', slice, signal))) return false;
    db.write(() => {
      days.add(accountId, hour, period, pass.given);
      setProgress.run(null, period.until, accountId);
    });
    return true;
  };
};

const addGivenTypes = (given: Set<MeteredType>, row: UserRow, until: number): void => {
  if (row.isRemoved === 1) return;
  for (const type of METERED_TYPES) if (!given.has(type) && isGiven(row, type, until)) given.add(type);
};

/** Returns undefined if no hour has ended between the last stored listing and the newest counted one. */
const passOf = (progress: Progress | undefined, zone: string): Pass | undefined => {
  if (!progress || progress.countedStartedAt === null) return undefined;
  const { baselinedAt, countedStartedAt: until, storedUntil, storingHour } = progress;
  const since = storedUntil ?? baselinedAt;
  if (since === null || until <= since) return undefined;
  // After a kill, the users that were stored already have their use in this hour, so the others must have too.
  if (storingHour !== null)
    return { hour: localHourOf(zone, storingHour), period: { since, until }, given: new Set() };
  if (localHourOf(zone, until).start <= localHourOf(zone, since).start) return undefined;
  return { hour: lastEndedHour(zone, until), period: { since, until }, given: new Set() };
};
