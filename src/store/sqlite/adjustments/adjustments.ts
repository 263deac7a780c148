// Stores adjustments of services, and counts each once for each status that it has after the baseline.

import { isDeepStrictEqual } from 'node:util';
import { DAY } from '../../../lib/time.ts';
import type {
  Adjustment,
  AdjustmentFilter,
  AdjustmentPage,
  AdjustmentPosition,
  AdjustmentStore,
} from '../../adjustment-store.ts';
import type { Counter } from '../../counter.ts';
import { createListings } from '../accounts/listings.ts';
import { createCounters } from '../counters.ts';
import type { Database } from '../file/database.ts';
import { conditionsFor, describeRow, flags, json, plain, type RowOf } from '../row.ts';
import { ofAccount, type Tables } from '../table.ts';

export const ADJUSTMENT_TABLES = {
  service_adjustment: { move: ofAccount() },
  // The id is the provider's.
  proxy_replacement: { move: ofAccount({ adjustment_id: 'adjustment_id' }) },
} as const satisfies Tables;

/** The limits of an account's adjustments, and of an adjustment's replaced proxies. */
export const MAX_ADJUSTMENTS = 20_000;
const MAX_REPLACEMENTS = 1_000;
/** More statuses of one adjustment are not counted: the provider has three. */
const MAX_REACHED = 8;

interface Stored extends Adjustment, AdjustmentPosition {
  /** The statuses that it has had, which are not counted again. */
  readonly reached: readonly string[];
  /** Whether its first status counts. */
  readonly isNew: boolean;
}

const ROW = describeRow<Stored>({
  ...plain('id serviceId type status by createdAt updatedAt at'),
  ...flags('isNew'),
  ...json('changes replacements reached'),
});

export const createAdjustmentStore = (db: Database): AdjustmentStore => {
  const { sql } = db;
  const listings = createListings(db, 'adjustments');
  const counters = createCounters(db);
  const find = sql.prepare<[number, string], RowOf<Stored>>(
    `SELECT ${ROW.selected} FROM service_adjustment WHERE account_id = ? AND id = ?`,
  );
  // A replaced or deleted row takes its rows of proxy_replacement with it.
  const put = sql.prepare(ROW.insert('service_adjustment', 'OR REPLACE'));
  const addReplacements = sql.prepare(
    `INSERT INTO proxy_replacement (account_id, adjustment_id, reason, old_address, new_address)
     SELECT @accountId, @id, value ->> 'reason', value ->> 'oldAddress', value ->> 'newAddress'
     FROM json_each(@replacements)`,
  );
  const oldestKept = sql.prepare<[number], AdjustmentPosition>(
    `SELECT at, id FROM service_adjustment WHERE account_id = ?
     ORDER BY at DESC, id DESC LIMIT 1 OFFSET ${MAX_ADJUSTMENTS - 1}`,
  );

  const savePage = (accountId: number, page: AdjustmentPage): void => {
    listings.recordPage(accountId, page.startedAt);
    const { baselinedAt } = listings.of(accountId);
    const growth: Record<string, number> = {};
    for (const answered of page.adjustments) {
      const row = find.get(accountId, answered.id);
      const before = row && ROW.fromRow(row);
      const after = observed(before, answered, baselinedAt);
      if (isDeepStrictEqual(before, after) || (!before && isOlder(after, page.oldestKept))) continue;
      const values = { accountId, ...ROW.toRow(after) };
      put.run(values);
      addReplacements.run(values);
      const name = JSON.stringify(page.labelsOf(after));
      // A row of the baseline creates the counter at 0, so that increase() sees its first step.
      growth[name] = (growth[name] ?? 0) + Number(baselinedAt !== null && isCounted(before, after));
    }
    counters.grow(ownerOf(accountId), growth, listings.heldUntil(accountId, page.now));
  };

  return {
    savePage: db.writeOf(savePage),
    trim: db.writeOf((accountId) => {
      const oldest = oldestKept.get(accountId);
      const older = 'DELETE FROM service_adjustment WHERE account_id = ? AND (at, id) < (?, ?)';
      if (oldest) sql.run(older, accountId, oldest.at, oldest.id);
    }),
    completeListing: db.writeOf(listings.markComplete),
    countListing: db.writeOf(listings.markCounted),
    listing: db.readOf(listings.of),
    oldestKept: db.readOf((accountId) => oldestKept.get(accountId)),
    recent: db.rowsOf(
      `SELECT id, updated_at AS updatedAt FROM service_adjustment WHERE account_id = ? AND updated_at <= ?
       ORDER BY updated_at DESC LIMIT 20`,
    ),
    counters: db.readOf((accountId) =>
      sql
        .all<Counter & { readonly name: string }>(
          'SELECT name, net, served, held_until AS heldUntil FROM counter WHERE owner = ? ORDER BY name',
          ownerOf(accountId),
        )
        .map(({ name, ...counter }) => ({ ...JSON.parse(name), counter })),
    ),
    newest: db.readOf((accountId, limit, filter: AdjustmentFilter = {}) => {
      const conditions = ['account_id = @accountId', ...conditionsFor(CONDITIONS, filter)].join(' AND ');
      return sql
        .all<RowOf<Stored>>(
          `SELECT ${ROW.selected} FROM service_adjustment WHERE ${conditions} ORDER BY at DESC, id DESC LIMIT @limit`,
          { ...filter, accountId, limit },
        )
        .map(ROW.fromRow);
    }),
  };
};

const CONDITIONS = {
  serviceId: 'service_id = @serviceId',
  from: 'at >= @from',
  to: 'at < @to',
  after: '(at, id) < (SELECT at, id FROM service_adjustment WHERE account_id = @accountId AND id = @after)',
};

const ownerOf = (accountId: number): string => `adjustments/${accountId}`;

/** Returns the adjustment as it is stored, with the status that it has now among those that it has had. */
const observed = (before: Stored | undefined, answered: Adjustment, baselinedAt: number | null): Stored => {
  const given = withStored(answered, before);
  const { status, createdAt, updatedAt } = given;
  const isRecent = baselinedAt !== null && (createdAt === null || createdAt >= baselinedAt - DAY);
  const { reached = [], isNew = isRecent } = before ?? {};
  const isReached = status === null || reached.includes(status) || reached.length >= MAX_REACHED;
  return {
    ...given,
    changes: withStored(answered.changes, before?.changes),
    replacements: given.replacements?.slice(0, MAX_REPLACEMENTS) ?? null,
    at: createdAt ?? updatedAt ?? 0,
    reached: isReached ? reached : [...reached, status],
    isNew,
  };
};

/** What is not given keeps its stored value. */
const withStored = <T extends object>(given: T, before: T | undefined): T =>
  Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, value ?? before?.[name as keyof T] ?? null]),
  ) as T;

/** The first status of an adjustment of the baseline is history, even if it is only given later. */
const isCounted = (before: Stored | undefined, { reached, isNew }: Stored): boolean => {
  const known = before?.reached.length ?? 0;
  return reached.length > known && (known > 0 || isNew);
};

const isOlder = ({ at, id }: AdjustmentPosition, than: AdjustmentPosition | undefined): boolean =>
  than !== undefined && (at < than.at || (at === than.at && id < than.id));
