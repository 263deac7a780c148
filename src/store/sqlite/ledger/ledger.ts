// Statements of the residential ledger.

import { growthOf } from '../../counter.ts';
import {
  type Balance,
  LEDGER_COUNTERS,
  type LedgerCounter,
  type LedgerDay,
  type LedgerReason,
  type LedgerRow,
  type LedgerStore,
  type LedgerSummary,
  type StoredLedgerRow,
  type UsedBalance,
} from '../../ledger-store.ts';
import type { Listing } from '../../listing.ts';
import { createListings } from '../accounts/listings.ts';
import { createCounters } from '../counters.ts';
import type { Database } from '../file/database.ts';
import { createLedgerPace } from './ledger-pace.ts';
import { createLedgerRows, LEDGER_ROW_COLUMNS } from './ledger-rows.ts';
import { createFollowRule } from './ledger-rule.ts';

/** Null for what was not given. */
type Growth = Record<LedgerCounter, number | null>;

export const createLedgerStore = (db: Database): LedgerStore => {
  const { sql } = db;
  const counters = createCounters(db);
  const listings = createListings(db, 'residential_ledger');
  const pace = createLedgerPace(db);
  const followRule = createFollowRule(db, pace);
  const rows = createLedgerRows(db);
  const find = sql.prepare<[number, string], StoredLedgerRow>(
    `SELECT ${LEDGER_ROW_COLUMNS} FROM ledger WHERE account_id = ? AND id = ?`,
  );
  const put = sql.prepare(
    `INSERT OR REPLACE INTO ledger VALUES (@accountId, @id, @reason, @serviceId, @periodDate, @bytes, @addedBytes, @usedBytes,
       @requests, @adjustmentId, @createdAt, @updatedAt)`,
  );
  const byReason = sql.prepare<[number], { reason: string; entries: number } & Balance>(
    `SELECT reason, count(*) AS entries, sum(added_bytes) AS addedBytes, sum(used_bytes) AS usedBytes
     FROM ledger WHERE account_id = ? GROUP BY reason ORDER BY reason`,
  );
  const byService = sql.prepare<[number], { serviceId: string } & Balance>(
    `SELECT service_id AS serviceId, sum(added_bytes) AS addedBytes, sum(used_bytes) AS usedBytes
     FROM ledger WHERE account_id = ? AND service_id IS NOT NULL GROUP BY service_id ORDER BY service_id`,
  );
  const daysOf = sql.prepare<[number, string, string], LedgerDay>(
    `SELECT period_date AS periodDate, reason, service_id AS serviceId, sum(added_bytes) AS addedBytes,
       sum(used_bytes) AS usedBytes, sum(requests) AS requests
     FROM ledger WHERE account_id = ? AND period_date >= ? AND period_date < ?
     GROUP BY period_date, reason, service_id ORDER BY period_date, reason, service_id`,
  );
  const reasonsCounted = sql.prepare<[number, string], { reason: string }>(
    'SELECT DISTINCT substr(owner, ?) AS reason FROM counter WHERE owner LIKE ? ORDER BY reason',
  );

  const prefixOf = (accountId: number): string => `ledger/${accountId}/`;

  /** Stores a row when it changed; what it adds. A row that changes its reason adds the change to the new one. */
  const saveRow = (accountId: number, row: LedgerRow, { baselinedAt, unread }: Listing): Growth => {
    const before = find.get(accountId, row.id);
    const periodEnd = row.periodEnd ?? (unread > 0 ? 0 : Number.POSITIVE_INFINITY);
    const after = laidOver(before, row);
    if (!before || !isSame(before, after)) put.run({ accountId, ...after });
    return growthBy((name) =>
      after[name] === null
        ? null
        : growthOf({ before: before?.[name] ?? null, after: after[name], periodEnd, baselinedAt }),
    );
  };

  const savePage = (accountId: number, rows: readonly LedgerRow[], now: number, startedAt: number): void => {
    const listing = listings.of(accountId);
    const heldUntil = listings.heldUntil(accountId, now);
    const growths = new Map<string, Growth>();
    for (const row of rows) {
      const growth = saveRow(accountId, row, listing);
      const before = growths.get(row.reason);
      growths.set(row.reason, before ? growthBy((name) => sumOf(before[name], growth[name])) : growth);
    }
    for (const [reason, growth] of growths)
      counters.grow(prefixOf(accountId) + reason, given(growth), heldUntil);
    listings.touch(accountId, startedAt);
  };

  const reasonsOf = (accountId: number): string[] => {
    const prefix = prefixOf(accountId);
    return reasonsCounted.all(prefix.length + 1, `${prefix}%`).map(({ reason }) => reason);
  };

  const countersOf = (owner: string): LedgerReason['counters'] => {
    const requests = counters.find(owner, 'requests');
    return { ...counters.of(owner, ['addedBytes', 'usedBytes']), ...(requests && { requests }) };
  };

  const summary = (accountId: number): LedgerSummary => {
    const sums = new Map(byReason.all(accountId).map((sum) => [sum.reason, sum]));
    const paces = pace.of(accountId);
    const used = (balance: Balance, serviceId: string): UsedBalance => ({
      addedBytes: balance.addedBytes,
      usedBytes: balance.usedBytes,
      rates: paces.get(serviceId) ?? null,
    });
    const all = total([...sums.values()]);
    return {
      listing: listings.of(accountId),
      reasons: reasonsOf(accountId).map((reason) => ({
        reason,
        counters: countersOf(prefixOf(accountId) + reason),
        entries: sums.get(reason)?.entries ?? 0,
      })),
      balance: all && used(all, ''),
      services: new Map(byService.all(accountId).map((sum) => [sum.serviceId, used(sum, sum.serviceId)])),
    };
  };

  const unreadOf = (accountId: number, skippedIds: Iterable<string>): number =>
    [...skippedIds].filter((id) => find.get(accountId, id) === undefined).length;

  return {
    open: async (account, reasons, now) => {
      const accountId = db.accountId(account);
      db.write(() => {
        const heldUntil = listings.heldUntil(accountId, now);
        for (const reason of reasons)
          counters.create(prefixOf(accountId) + reason, LEDGER_COUNTERS, heldUntil);
      });
    },
    followRule: async (account, rule) => {
      await followRule(db.accountId(account), rule);
    },
    stored: async (account, ids) =>
      db.read(() => {
        const accountId = db.knownAccountId(account);
        return new Map(ids.flatMap((id) => find.all(accountId, id)).map((row) => [row.id, row]));
      }),
    savePage: async (account, rows, now, startedAt = now) => {
      const accountId = db.accountId(account);
      db.write(() => savePage(accountId, rows, now, startedAt));
    },
    completeListing: async (account, useReasons, startedAt, now, skippedIds = []) => {
      const accountId = db.accountId(account);
      const used = await pace.usedBy(accountId, useReasons);
      db.write(() => {
        const unread = unreadOf(accountId, skippedIds);
        pace.observe(accountId, used, listings.of(accountId).completeAt, now);
        listings.complete(accountId, startedAt, now, unread);
      });
    },
    countListing: async (account, startedAt, now, skippedIds = []) => {
      const accountId = db.accountId(account);
      db.write(() => listings.count(accountId, startedAt, now, unreadOf(accountId, skippedIds)));
    },
    summary: async (account) => db.read(() => summary(db.knownAccountId(account))),
    days: async (account, from, to) => db.read(() => daysOf.all(db.knownAccountId(account), from, to)),
    rows: async (account, from, to, after, limit) =>
      db.read(() => rows.after(db.knownAccountId(account), from, to, after, limit)),
  };
};

const growthBy = (of: (name: LedgerCounter) => number | null): Growth => ({
  addedBytes: of('addedBytes'),
  usedBytes: of('usedBytes'),
  requests: of('requests'),
});

const sumOf = (a: number | null, b: number | null): number | null => (a === null ? b : a + (b ?? 0));

const given = (growth: Growth): Record<string, number> =>
  Object.fromEntries(
    LEDGER_COUNTERS.flatMap((name) => (growth[name] === null ? [] : [[name, growth[name]]])),
  );

/** What is not given keeps its value. */
const laidOver = (before: StoredLedgerRow | undefined, row: LedgerRow): LedgerRow => ({
  ...row,
  serviceId: row.serviceId ?? before?.serviceId ?? null,
  requests: row.requests ?? before?.requests ?? null,
  adjustmentId: row.adjustmentId ?? before?.adjustmentId ?? null,
  createdAt: row.createdAt ?? before?.createdAt ?? null,
  updatedAt: row.updatedAt ?? before?.updatedAt ?? null,
});

const isSame = (before: StoredLedgerRow, after: LedgerRow): boolean =>
  before.bytes === after.bytes &&
  before.reason === after.reason &&
  before.serviceId === after.serviceId &&
  before.periodDate === after.periodDate &&
  before.adjustmentId === after.adjustmentId &&
  before.createdAt === after.createdAt &&
  before.updatedAt === after.updatedAt &&
  LEDGER_COUNTERS.every((name) => before[name] === after[name]);

const total = (sums: readonly Balance[]): Balance | undefined =>
  sums.length === 0
    ? undefined
    : sums.reduce((all, sum) => ({
        addedBytes: all.addedBytes + sum.addedBytes,
        usedBytes: all.usedBytes + sum.usedBytes,
      }));
