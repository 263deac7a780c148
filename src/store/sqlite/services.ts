// Stores purchased services.

import {
  NOT_FOUND_ANSWERS_UNTIL_REMOVED,
  type ServiceAttempt,
  type ServiceObservation,
  type ServiceStore,
  type StoredService,
} from '../service-store.ts';
import type { Database } from './file/database.ts';

/** Columns that SQLite stores as numbers, because it has no booleans. */
type Flag =
  | 'isPaused'
  | 'isReconfigurable'
  | 'isPendingCancellation'
  | 'isAutomaticCollection'
  | 'hasOpenInvoice'
  | 'hasPaymentMethod';
type Row = Omit<StoredService, Flag | 'lineItems' | 'proxies'> & {
  readonly [name in Flag]: number | null;
} & { readonly lineItems: string; readonly proxies: string | null };

const COLUMNS = {
  name: 'name',
  productType: 'product_type',
  protocol: 'protocol',
  status: 'status',
  countryId: 'country_id',
  cycle: 'cycle',
  quantity: 'quantity',
  price: 'price',
  isPaused: 'is_paused',
  isPendingCancellation: 'is_pending_cancellation',
  isAutomaticCollection: 'is_automatic_collection',
  hasOpenInvoice: 'has_open_invoice',
  hasPaymentMethod: 'has_payment_method',
  expiresAt: 'expires_at',
  earliestCancellationAt: 'earliest_cancellation_at',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
  dispatchedAt: 'dispatched_at',
  isReconfigurable: 'is_reconfigurable',
  promotionalCode: 'promotional_code',
  subscriptionId: 'subscription_id',
  subscriptionScheduleId: 'subscription_schedule_id',
  lineItems: 'line_items',
  proxies: 'proxies',
} as const satisfies Record<Exclude<keyof ServiceObservation, 'id'>, string>;

const ENTRIES = Object.entries(COLUMNS);

export const createServiceStore = (db: Database): ServiceStore => {
  const { sql } = db;
  const referencedIds = sql
    .prepare<{ accountId: number; limit: number }, string>(
      // Current proxies name services in use. The ledger also names services of the past.
      `SELECT id FROM (
         SELECT service_id AS id, '9999' AS last FROM inventory_proxy WHERE account_id = @accountId
         UNION ALL SELECT service_id, period_date FROM ledger WHERE account_id = @accountId)
       WHERE id IS NOT NULL GROUP BY id ORDER BY max(last) DESC, id LIMIT @limit`,
    )
    .pluck();
  const attempts = sql.prepare<[number], ServiceAttempt>(
    `SELECT id, asked_at AS askedAt, answered_at AS answeredAt, not_found_answers AS notFoundAnswers, status,
       expires_at AS expiresAt
     FROM service WHERE account_id = ? ORDER BY id`,
  );
  const put = sql.prepare(
    `INSERT INTO service (account_id, id, asked_at, answered_at, ${ENTRIES.map(([, column]) => column).join(', ')})
     VALUES (@accountId, @id, @now, @now, ${ENTRIES.map(([name]) => `@${name}`).join(', ')})
     ON CONFLICT DO UPDATE SET asked_at = @now, answered_at = @now, not_found_answers = 0,
       ${ENTRIES.map(([, column]) => `${column} = ${column === 'proxies' ? 'coalesce(excluded.proxies, proxies)' : `excluded.${column}`}`).join(', ')}`,
  );
  const putNotFound = sql.prepare(
    `INSERT INTO service (account_id, id, asked_at, not_found_answers) VALUES (@accountId, @id, @now, 1)
     ON CONFLICT DO UPDATE SET asked_at = @now, not_found_answers = not_found_answers + 1`,
  );
  const servicesOf = sql.prepare<[number], Row>(
    `SELECT id, answered_at AS answeredAt, ${ENTRIES.map(([name, column]) => `${column} AS ${name}`).join(', ')}
     FROM service
     WHERE account_id = ? AND answered_at IS NOT NULL AND not_found_answers < ${NOT_FOUND_ANSWERS_UNTIL_REMOVED}
     ORDER BY id`,
  );

  return {
    referencedIds: async (account, limit) =>
      db.read(() => referencedIds.all({ accountId: db.knownAccountId(account), limit })),
    attempts: async (account) => db.read(() => attempts.all(db.knownAccountId(account))),
    save: async (account, service, now) => {
      const accountId = db.accountId(account);
      db.write(() => put.run({ accountId, now, ...toRow(service) }));
    },
    saveNotFound: async (account, id, now) => {
      const accountId = db.accountId(account);
      db.write(() => putNotFound.run({ accountId, id, now }));
    },
    services: async (account) => db.read(() => servicesOf.all(db.knownAccountId(account))).map(fromRow),
  };
};

const toRow = (service: ServiceObservation): Omit<Row, 'answeredAt'> => ({
  ...service,
  isPaused: numberOf(service.isPaused),
  isReconfigurable: numberOf(service.isReconfigurable),
  isPendingCancellation: numberOf(service.isPendingCancellation),
  isAutomaticCollection: numberOf(service.isAutomaticCollection),
  hasOpenInvoice: Number(service.hasOpenInvoice),
  hasPaymentMethod: numberOf(service.hasPaymentMethod),
  lineItems: JSON.stringify(service.lineItems),
  proxies: service.proxies && JSON.stringify(service.proxies),
});

const fromRow = (row: Row): StoredService => ({
  ...row,
  isPaused: flagOf(row.isPaused),
  isReconfigurable: flagOf(row.isReconfigurable),
  isPendingCancellation: flagOf(row.isPendingCancellation),
  isAutomaticCollection: flagOf(row.isAutomaticCollection),
  hasOpenInvoice: row.hasOpenInvoice === 1,
  hasPaymentMethod: flagOf(row.hasPaymentMethod),
  lineItems: JSON.parse(row.lineItems),
  proxies: row.proxies === null ? null : JSON.parse(row.proxies),
});

const numberOf = (flag: boolean | null): number | null => (flag === null ? null : Number(flag));

const flagOf = (value: number | null): boolean | null => (value === null ? null : value === 1);
