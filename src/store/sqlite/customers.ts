// Stores what the provider last answered about the customer, and its purchased services.

import {
  type CustomerState,
  type CustomerStore,
  NOT_FOUND_ANSWERS_UNTIL_REMOVED,
  type ServiceStore,
  type StoredService,
  type StoredSummary,
} from '../service-store.ts';
import type { Database } from './file/database.ts';
import { describeRow, flags, json, plain } from './row.ts';
import { ofAccount, type Tables } from './table.ts';

export const CUSTOMER_TABLES = {
  customer_state: { times: ['answered_at'], move: ofAccount() },
  customer_summary: { times: ['answered_at'], move: ofAccount() },
} as const satisfies Tables;

const STATE = describeRow<CustomerState>({
  ...plain('answeredAt credit residentialLeftBytes mobileLeftBytes proxies userLimit kycLevel'),
  ...flags('isResidentialPaused isMobilePaused isKycPending isTrialPending'),
});
const SUMMARY = describeRow<StoredSummary>(plain('productType answeredAt boughtBytes leftBytes usedBytes'));

export const createCustomerStore = ({ sql, rowsOf, writeOf }: Database): CustomerStore => {
  const put = sql.prepare(STATE.insert('customer_state', 'OR REPLACE'));
  const putSummary = sql.prepare(SUMMARY.insert('customer_summary', 'OR REPLACE'));
  const removeSummary = sql.prepare('DELETE FROM customer_summary WHERE account_id = ? AND product_type = ?');
  /** Without a summary there is no newer comparison, so the last one would be reported for ever. */
  const removeCompared = sql.prepare(
    "DELETE FROM reconciliation WHERE account_id = ? AND pair = ? || '_summary_ledger'",
  );
  const states = rowsOf(`SELECT ${STATE.selected} FROM customer_state WHERE account_id = ?`, STATE.fromRow);
  return {
    save: writeOf((accountId, state) => {
      put.run({ accountId, ...STATE.toRow(state) });
    }),
    saveSummary: writeOf((accountId, summary) => {
      putSummary.run({ accountId, ...SUMMARY.toRow(summary) });
    }),
    removeSummary: writeOf((accountId, type) => {
      removeSummary.run(accountId, type);
      removeCompared.run(accountId, type);
    }),
    state: async (account) => (await states(account))[0],
    summaries: rowsOf(
      `SELECT ${SUMMARY.selected} FROM customer_summary WHERE account_id = ? ORDER BY product_type`,
      SUMMARY.fromRow,
    ),
  };
};

const ROW = describeRow<StoredService>(
  {
    ...plain('answeredAt id name productType protocol status countryId cycle quantity price'),
    ...flags('isPaused isPendingCancellation isAutomaticCollection'),
    ...flags('hasOpenInvoice hasPaymentMethod isReconfigurable'),
    ...plain('expiresAt earliestCancellationAt createdAt updatedAt dispatchedAt'),
    ...plain('promotionalCode subscriptionId subscriptionScheduleId'),
    ...json('lineItems proxies metadata'),
  },
  ['id', 'proxies'],
);

export const createServiceStore = (db: Database): ServiceStore => {
  const referencedIds = db.prepareValue<{ accountId: number; limit: number }, string>(
    // Current proxies name services in use. The ledgers also name services of the past.
    `SELECT id FROM (
         SELECT service_id AS id, '9999' AS last FROM inventory_proxy WHERE account_id = @accountId
         UNION ALL SELECT service_id, period_date FROM ledger WHERE account_id = @accountId
         UNION ALL SELECT service_id, period_date FROM mobile_ledger WHERE account_id = @accountId)
       WHERE id IS NOT NULL GROUP BY id ORDER BY max(last) DESC, id LIMIT @limit`,
  );
  const put = db.sql.prepare(
    `INSERT INTO service (account_id, asked_at, ${ROW.columns}) VALUES (@accountId, @answeredAt, ${ROW.values})
     ON CONFLICT DO UPDATE SET asked_at = @answeredAt, not_found_answers = 0, ${ROW.updates},
       proxies = coalesce(excluded.proxies, proxies)`,
  );
  const putNotFound = db.sql.prepare(
    `INSERT INTO service (account_id, id, asked_at, not_found_answers) VALUES (@accountId, @id, @now, 1)
     ON CONFLICT DO UPDATE SET asked_at = @now, not_found_answers = not_found_answers + 1`,
  );

  return {
    referencedIds: db.readOf((accountId, limit) => referencedIds.all({ accountId, limit })),
    attempts:
      db.rowsOf(`SELECT id, asked_at AS askedAt, answered_at AS answeredAt, not_found_answers AS notFoundAnswers, status,
         expires_at AS expiresAt
       FROM service WHERE account_id = ? ORDER BY id`),
    save: db.writeOf((accountId, service, now) =>
      put.run({ accountId, ...ROW.toRow({ ...service, answeredAt: now }) }),
    ),
    saveNotFound: db.writeOf((accountId, id, now) => putNotFound.run({ accountId, id, now })),
    services: db.rowsOf(
      `SELECT ${ROW.selected} FROM service
       WHERE account_id = ? AND answered_at IS NOT NULL AND not_found_answers < ${NOT_FOUND_ANSWERS_UNTIL_REMOVED}
       ORDER BY id`,
      ROW.fromRow,
    ),
  };
};
