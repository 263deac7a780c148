// Stores what the provider last answered of the customer as a whole.

import type { CustomerState, CustomerStore, StoredSummary } from '../customer-store.ts';
import type { Database } from './file/database.ts';
import { describeRow, flags, plain } from './row.ts';
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
    }),
    state: async (account) => (await states(account))[0],
    summaries: rowsOf(
      `SELECT ${SUMMARY.selected} FROM customer_summary WHERE account_id = ? ORDER BY product_type`,
      SUMMARY.fromRow,
    ),
  };
};
