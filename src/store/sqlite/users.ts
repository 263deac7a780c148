// Statements of proxy users.

import { newRates, observe } from '../../lib/forecast.ts';
import { METERED_TYPES } from '../../lib/product-types.ts';
import { grown } from '../counter.ts';
import { type Listing, MISSED_WHEN_GONE } from '../listing.ts';
import { usageGrowth } from '../usage.ts';
import type { StoredQuota, StoredUser, UserQuota, UserSighting, UserStore } from '../user-store.ts';
import type { Database } from './database.ts';
import { lapsesAfter } from './lapse.ts';
import { createListings } from './listings.ts';
import { createUserDetails } from './user-details.ts';
import { fromRow, isAsSeen, shownFromRow, toValues, type UserRow, VALUE_COLUMNS } from './user-row.ts';
import { createUserUsage, type UsageGrowth } from './user-usage.ts';

/** Where a page stands in its listing. */
interface Sighting {
  readonly listing: Listing;
  readonly heldUntil: number;
  readonly startedAt: number;
  readonly now: number;
}

type FoundRow = UserRow & { readonly rowid: number };

export const createUserStore = (db: Database): UserStore => {
  const { sql } = db;
  const listings = createListings(db, 'proxy_users');
  const usage = createUserUsage(db);
  const columns = ['id', ...VALUE_COLUMNS].join(', ');
  const details = createUserDetails(db);
  const find = sql.prepare<[number, string], FoundRow>(
    `SELECT rowid, ${columns} FROM proxy_user WHERE account_id = ? AND id = ?`,
  );
  // Bound by position: by name costs more than the write itself.
  const insert = sql.prepare(
    `INSERT INTO proxy_user (account_id, ${columns}) VALUES (?, ?, ${VALUE_COLUMNS.map(() => '?').join(', ')})`,
  );
  const update = sql.prepare(
    `UPDATE proxy_user SET ${VALUE_COLUMNS.map((name) => `${name} = ?`).join(', ')} WHERE rowid = ?`,
  );
  const pageOf = sql.prepare<[number, string, number], UserRow>(
    `SELECT ${columns} FROM proxy_user WHERE account_id = ? AND id > ? AND gone_since IS NULL ORDER BY id LIMIT ?`,
  );
  const idsAfter = sql.prepare<[number, string, number], { id: string; missed: number }>(
    'SELECT id, missed FROM proxy_user WHERE account_id = ? AND id > ? ORDER BY id LIMIT ?',
  );
  const setMissed = sql.prepare(
    `UPDATE proxy_user SET missed = @missed, gone_since = CASE WHEN @missed >= ${MISSED_WHEN_GONE} THEN coalesce(gone_since, @now) END
     WHERE account_id = @accountId AND id = @id`,
  );

  /** Stores a user who changed, and adds what was used since. */
  const saveUser = (accountId: number, user: UserSighting, sighting: Sighting, growth: UsageGrowth): void => {
    const row = find.get(accountId, user.id);
    const lapses = row ? lapsesAfter(row, user.quotas, sighting.startedAt, sighting.listing) : null;
    const isAsKnown = row !== undefined && isAsSeen(row, user, lapses);
    const rowid = isAsKnown ? row.rowid : saveQuotas(accountId, user, row, lapses, sighting, growth);
    details.save(rowid, user.details);
  };

  const saveQuotas = (
    accountId: number,
    user: UserSighting,
    row: FoundRow | undefined,
    lapses: string | null,
    sighting: Sighting,
    growth: UsageGrowth,
  ): number | bigint => {
    const before = row && fromRow(row);
    const after = seenAgain(before, user, sighting);
    for (const type of METERED_TYPES) {
      growth[type] += after.quotas[type].usage.net - (before?.quotas[type].usage.net ?? 0);
    }
    const values = toValues(after, lapses);
    if (!row) return insert.run(accountId, user.id, ...values).lastInsertRowid;
    update.run(...values, row.rowid);
    return row.rowid;
  };

  /** Users whose count of missed listings changes: read in slices, so that the event loop stays free. */
  const missing = async (accountId: number, seen: ReadonlySet<string>): Promise<Map<string, number>> => {
    const changed = new Map<string, number>();
    const sliceAfter = (id: string) => db.read(() => idsAfter.all(accountId, id, SLICE));
    for (let after = '', slice = sliceAfter(after); slice.length > 0; ) {
      for (const { id, missed } of slice) {
        if (!seen.has(id) && missed < MISSED_WHEN_GONE) changed.set(id, missed + 1);
        if (seen.has(id) && missed > 0) changed.set(id, 0);
      }
      after = slice.at(-1)?.id ?? after;
      await new Promise(setImmediate);
      slice = sliceAfter(after);
    }
    return changed;
  };

  return {
    savePage: async (account, users, now, startedAt = now) => {
      const accountId = db.accountId(account);
      db.write(() => {
        const listing = listings.of(accountId);
        const sighting = { listing, heldUntil: listings.heldUntil(accountId, now), startedAt, now };
        const growth = { residential: 0, mobile: 0 };
        for (const user of users) saveUser(accountId, user, sighting, growth);
        usage.add(accountId, listing, startedAt, growth);
        listings.touch(accountId, startedAt);
      });
    },
    completeListing: async (account, seen, startedAt, now) => {
      const accountId = db.accountId(account);
      const changed = await missing(accountId, seen);
      db.write(() => {
        for (const [id, missed] of changed) setMissed.run({ accountId, id, missed, now });
        listings.complete(accountId, startedAt, now);
      });
    },
    listing: async (account) => db.read(() => listings.of(db.knownAccountId(account))),
    find: async (account, id) =>
      db.read(() => {
        const accountId = db.knownAccountId(account);
        const row = find.get(accountId, id);
        if (!row || row.gone_since !== null) return undefined;
        return shownFromRow(row, listings.of(accountId).completeStartedAt);
      }),
    page: async (account, after, limit) => {
      const accountId = db.knownAccountId(account);
      const { completeStartedAt } = db.read(() => listings.of(accountId));
      const rows = db.read(() => pageOf.all(accountId, after, limit));
      return rows.map((row) => shownFromRow(row, completeStartedAt));
    },
    details: async (account, ids) => db.read(() => details.of(db.knownAccountId(account), ids)),
    usage: async (account, from, to) => db.read(() => usage.periods(db.knownAccountId(account), from, to)),
  };
};

const SLICE = 5_000;

const seenAgain = (before: StoredUser | undefined, user: UserSighting, sighting: Sighting): StoredUser => ({
  ...user,
  quotas: {
    residential: updateQuota(before?.quotas.residential, user.quotas.residential, sighting),
    mobile: updateQuota(before?.quotas.mobile, user.quotas.mobile, sighting),
  },
});

const updateQuota = (
  before: StoredQuota | undefined,
  { limitBytes, usedBytes }: UserQuota,
  { listing, heldUntil, now }: Sighting,
): StoredQuota => {
  const growth = listing.baselinedAt === null ? 0 : growthSince(before, usedBytes);
  const { usage, rates } = before ?? { usage: { net: 0, served: 0, heldUntil }, rates: newRates(now) };
  return {
    limitBytes: limitBytes === undefined ? (before?.limitBytes ?? null) : limitBytes,
    // A value that is left out does not make the next one start anew, however long it was.
    usedBytes: usedBytes ?? before?.usedBytes ?? null,
    usage: grown(usage, growth),
    rates: observe(rates, growth, listing.completeAt ?? now, now),
  };
};

/** A user who appeared after the baseline counts whole; one whose use was never given has none to compare. */
const growthSince = (before: StoredQuota | undefined, used: number | null): number => {
  if (used === null) return 0;
  if (!before) return used;
  return before.usedBytes === null ? 0 : usageGrowth(before.usedBytes, used);
};
