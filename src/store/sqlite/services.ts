// Stores purchased services.

import {
  NOT_FOUND_ANSWERS_UNTIL_REMOVED,
  type ServiceAttempt,
  type ServiceObservation,
  type ServiceStore,
  type StoredService,
} from '../service-store.ts';
import { type Database, writeFor } from './file/database.ts';
import { describeRow, flags, json, plain, type RowOf } from './row.ts';

const ROW = describeRow<ServiceObservation>(
  {
    ...plain('id name productType protocol status countryId cycle quantity price'),
    ...flags('isPaused isPendingCancellation isAutomaticCollection'),
    ...flags('hasOpenInvoice hasPaymentMethod isReconfigurable'),
    ...plain('expiresAt earliestCancellationAt createdAt updatedAt dispatchedAt'),
    ...plain('promotionalCode subscriptionId subscriptionScheduleId'),
    ...json('lineItems proxies'),
  },
  ['id', 'proxies'],
);

export const createServiceStore = (db: Database): ServiceStore => {
  const { sql, prepareValue } = db;
  const referencedIds = prepareValue<{ accountId: number; limit: number }, string>(
    // Current proxies name services in use. The ledger also names services of the past.
    `SELECT id FROM (
         SELECT service_id AS id, '9999' AS last FROM inventory_proxy WHERE account_id = @accountId
         UNION ALL SELECT service_id, period_date FROM ledger WHERE account_id = @accountId)
       WHERE id IS NOT NULL GROUP BY id ORDER BY max(last) DESC, id LIMIT @limit`,
  );
  const attempts = sql.prepare<[number], ServiceAttempt>(
    `SELECT id, asked_at AS askedAt, answered_at AS answeredAt, not_found_answers AS notFoundAnswers, status,
       expires_at AS expiresAt
     FROM service WHERE account_id = ? ORDER BY id`,
  );
  const put = sql.prepare(
    `INSERT INTO service (account_id, asked_at, answered_at, ${ROW.columns})
     VALUES (@accountId, @now, @now, ${ROW.values})
     ON CONFLICT DO UPDATE SET asked_at = @now, answered_at = @now, not_found_answers = 0, ${ROW.updates},
       proxies = coalesce(excluded.proxies, proxies)`,
  );
  const putNotFound = sql.prepare(
    `INSERT INTO service (account_id, id, asked_at, not_found_answers) VALUES (@accountId, @id, @now, 1)
     ON CONFLICT DO UPDATE SET asked_at = @now, not_found_answers = not_found_answers + 1`,
  );
  const servicesOf = sql.prepare<[number], RowOf<ServiceObservation> & Pick<StoredService, 'answeredAt'>>(
    `SELECT answered_at AS answeredAt, ${ROW.selected} FROM service
     WHERE account_id = ? AND answered_at IS NOT NULL AND not_found_answers < ${NOT_FOUND_ANSWERS_UNTIL_REMOVED}
     ORDER BY id`,
  );

  return {
    referencedIds: async (account, limit) =>
      db.read(() => referencedIds.all({ accountId: db.knownAccountId(account), limit })),
    attempts: async (account) => db.read(() => attempts.all(db.knownAccountId(account))),
    save: (account, service, now) =>
      writeFor(db, account, (accountId) => put.run({ accountId, now, ...ROW.toRow(service) })),
    saveNotFound: (account, id, now) =>
      writeFor(db, account, (accountId) => putNotFound.run({ accountId, id, now })),
    services: async (account) => db.read(() => servicesOf.all(db.knownAccountId(account))).map(ROW.fromRow),
  };
};
