// Stores the rows of the ledgers, and counters and sums of them.

import type { MeteredType } from '../../../lib/product-types.ts';
import { growthOf } from '../../counter.ts';
import {
  type Balance,
  type BalanceWithRates,
  LEDGER_COUNTERS,
  type LedgerCounter,
  type LedgerReason,
  type LedgerRow,
  type LedgerStore,
  type LedgerStores,
  type LedgerSummary,
  type StoredLedgerRow,
} from '../../ledger-store.ts';
import type { Listing } from '../../listing.ts';
import { createListings } from '../accounts/listings.ts';
import { createCounters } from '../counters.ts';
import type { Database } from '../file/database.ts';
import { createLateChanges } from '../late-changes.ts';
import { createCorrections } from '../publication/publication.ts';
import { createApplyLedgerRule, createLedgerRates, ledgerUseOf } from './rates.ts';
import { ChangedDays, LEDGER_ROW, LEDGERS, ledgerRowsOf } from './rows.ts';

/** What a page changes in days that are published or had settled. */
interface PageChanges {
  readonly changedDays: ChangedDays;
  readonly late: ReturnType<ReturnType<typeof createLateChanges>['ofLedger']>;
}

/** Null for values that were not given. */
type Growth = Record<LedgerCounter, number | null>;

export const createLedgerStores = (db: Database): LedgerStores => ({
  residential: createLedgerStore(db, 'residential'),
  mobile: createLedgerStore(db, 'mobile'),
});

const createLedgerStore = (db: Database, type: MeteredType): LedgerStore => {
  const { sql } = db;
  const table = LEDGERS[type];
  const counters = createCounters(db);
  const listings = createListings(db, `${type}_ledger`);
  const rates = createLedgerRates(db, table);
  const applyRule = createApplyLedgerRule(db, table, rates);
  const corrections = createCorrections(db);
  const lateChanges = createLateChanges(db);
  const find = sql.prepare<[number, string], StoredLedgerRow>(
    `SELECT ${LEDGER_ROW.selected} FROM ${table} WHERE account_id = ? AND id = ?`,
  );
  const put = sql.prepare(LEDGER_ROW.insert(table, 'OR REPLACE'));
  const byReason = sql.prepare<[number], { reason: string; entries: number } & Balance>(
    `SELECT reason, count(*) AS entries, sum(added_bytes) AS addedBytes, sum(used_bytes) AS usedBytes
     FROM ${table} WHERE account_id = ? GROUP BY reason ORDER BY reason`,
  );
  const byService = sql.prepare<[number], { serviceId: string } & Balance>(
    `SELECT service_id AS serviceId, sum(added_bytes) AS addedBytes, sum(used_bytes) AS usedBytes
     FROM ${table} WHERE account_id = ? AND service_id IS NOT NULL GROUP BY service_id ORDER BY service_id`,
  );
  const countedReasons = sql.prepare<[number, string], { reason: string }>(
    'SELECT DISTINCT substr(owner, ?) AS reason FROM counter WHERE owner LIKE ? ORDER BY reason',
  );

  const ownerPrefix = (accountId: number): string => `${table}/${accountId}/`;

  /** Stores a changed row, and returns the growth by reason. Another reason takes it out of the counters of the former. */
  const saveRow = (
    accountId: number,
    row: LedgerRow,
    { baselinedAt, undecodedRows }: Listing,
    { changedDays, late }: PageChanges,
  ): [reason: string, growth: Growth][] => {
    const before = find.get(accountId, row.id);
    const periodEnd = row.periodEnd ?? (undecodedRows > 0 ? 0 : Number.POSITIVE_INFINITY);
    const after = mergeRow(before, row);
    if (!before || !isSame(before, after)) {
      put.run({ accountId, ...after });
      late.note(before, after);
      changedDays.changed(before, after);
    }
    const growth = (from: Growth | undefined, to: Growth): Growth =>
      growthOfEach((name) =>
        to[name] === null
          ? null
          : growthOf({ before: from?.[name] ?? null, after: to[name], periodEnd, baselinedAt }),
      );
    if (!before || before.reason === after.reason) return [[after.reason, growth(before, after)]];
    return [
      [before.reason, growth(before, zerosLike(before))],
      [after.reason, growth(zerosLike(after), after)],
    ];
  };

  const savePage = (accountId: number, rows: readonly LedgerRow[], now: number, startedAt: number): void => {
    const listing = listings.of(accountId);
    const heldUntil = listings.heldUntil(accountId, now);
    const growths = new Map<string, Growth>();
    // The newest listing that saw all rows began then, and what had settled before it changes late.
    const settledAt = listing.baselinedAt === null ? 0 : (listing.countedStartedAt ?? 0);
    const changes = {
      changedDays: new ChangedDays(table),
      late: lateChanges.ofLedger(table, accountId, settledAt),
    };
    for (const [reason, growth] of rows.flatMap((row) => saveRow(accountId, row, listing, changes))) {
      const sum = growths.get(reason);
      growths.set(reason, sum ? growthOfEach((name) => sumOf(sum[name], growth[name])) : growth);
    }
    for (const [reason, growth] of growths)
      counters.grow(ownerPrefix(accountId) + reason, withoutNulls(growth), heldUntil);
    changes.changedDays.noteCorrections(corrections, accountId);
    changes.late.store(now);
    listings.recordPage(accountId, startedAt);
  };

  const reasonsOf = (accountId: number): string[] => {
    const prefix = ownerPrefix(accountId);
    return countedReasons.all(prefix.length + 1, `${prefix}%`).map(({ reason }) => reason);
  };

  const countersOf = (owner: string): LedgerReason['counters'] => {
    const requests = counters.find(owner, 'requests');
    return { ...counters.of(owner, ['addedBytes', 'usedBytes']), ...(requests && { requests }) };
  };

  const summary = (accountId: number): LedgerSummary => {
    const sums = new Map(byReason.all(accountId).map((sum) => [sum.reason, sum]));
    const ratesByService = rates.of(accountId);
    const withRates = ({ addedBytes, usedBytes }: Balance, serviceId: string): BalanceWithRates => ({
      ...{ addedBytes, usedBytes, rates: ratesByService.get(serviceId) ?? null },
    });
    const all = sumBalances([...sums.values()]);
    return {
      listing: listings.of(accountId),
      reasons: reasonsOf(accountId).map((reason) => ({
        reason,
        counters: countersOf(ownerPrefix(accountId) + reason),
        entries: sums.get(reason)?.entries ?? 0,
      })),
      balance: all && withRates(all, ''),
      services: new Map(
        byService.all(accountId).map((sum) => [sum.serviceId, withRates(sum, sum.serviceId)]),
      ),
    };
  };

  const countUndecoded = (accountId: number, skippedIds: Iterable<string>): number =>
    [...skippedIds].filter((id) => find.get(accountId, id) === undefined).length;

  return {
    open: db.writeOf((accountId, reasons, now) => {
      const heldUntil = listings.heldUntil(accountId, now);
      for (const reason of reasons)
        counters.create(ownerPrefix(accountId) + reason, LEDGER_COUNTERS, heldUntil);
    }),
    applyRule: async (account, rule) => {
      await applyRule(db.accountId(account), rule);
    },
    stored: db.readOf(
      (accountId, ids) => new Map(ids.flatMap((id) => find.all(accountId, id)).map((row) => [row.id, row])),
    ),
    savePage: db.writeOf((accountId, rows, now, startedAt = now) =>
      savePage(accountId, rows, now, startedAt),
    ),
    completeListing: async (account, usageReasons, startedAt, now, skippedIds = []) => {
      const accountId = db.accountId(account);
      const used = await rates.usedBy(accountId, usageReasons);
      db.write(() => {
        const undecoded = countUndecoded(accountId, skippedIds);
        rates.update(accountId, used, listings.of(accountId).completeAt, now);
        listings.markComplete(accountId, startedAt, now, undecoded);
      });
    },
    countListing: db.writeOf((accountId, startedAt, now, skippedIds = []) =>
      listings.markCounted(accountId, startedAt, now, countUndecoded(accountId, skippedIds)),
    ),
    summary: db.readOf(summary),
    days: db.rowsOf(
      `SELECT period_date AS periodDate, reason, service_id AS serviceId, sum(added_bytes) AS addedBytes,
         sum(used_bytes) AS usedBytes, sum(requests) AS requests, (SELECT max(read_at) FROM late_change INDEXED BY late_change_by_account
           WHERE account_id = ${table}.account_id AND ledger = '${table}'
             AND from_at = unixepoch(period_date) * 1000) AS correctedAt
       FROM ${table} WHERE account_id = ? AND period_date >= ? AND period_date < ?
       GROUP BY period_date, reason, service_id ORDER BY period_date, reason, service_id`,
    ),
    rows: ledgerRowsOf(db, table),
    ...ledgerUseOf(db, table),
  };
};

const growthOfEach = (of: (name: LedgerCounter) => number | null): Growth => ({
  addedBytes: of('addedBytes'),
  usedBytes: of('usedBytes'),
  requests: of('requests'),
});

const zerosLike = (values: Growth): Growth => growthOfEach((name) => (values[name] === null ? null : 0));

const sumOf = (a: number | null, b: number | null): number | null => (a === null ? b : a + (b ?? 0));

const withoutNulls = (growth: Growth): Record<string, number> =>
  Object.fromEntries(
    LEDGER_COUNTERS.flatMap((name) => (growth[name] === null ? [] : [[name, growth[name]]])),
  );

/** Merges an answered row with the stored one. Values that are not given keep their stored value. */
const mergeRow = (before: StoredLedgerRow | undefined, row: LedgerRow): LedgerRow => ({
  ...row,
  ...(before && {
    serviceId: row.serviceId ?? before.serviceId,
    requests: row.requests ?? before.requests,
    adjustmentId: row.adjustmentId ?? before.adjustmentId,
    createdAt: row.createdAt ?? before.createdAt,
    updatedAt: row.updatedAt ?? before.updatedAt,
  }),
});

const isSame = (before: StoredLedgerRow, after: LedgerRow): boolean =>
  (Object.keys(before) as (keyof StoredLedgerRow)[]).every((name) => before[name] === after[name]);

const sumBalances = (sums: readonly Balance[]): Balance | undefined =>
  sums.length === 0
    ? undefined
    : sums.reduce((all, sum) => ({
        addedBytes: all.addedBytes + sum.addedBytes,
        usedBytes: all.usedBytes + sum.usedBytes,
      }));
