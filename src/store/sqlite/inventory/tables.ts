// Describes the tables of what an account has and could buy.

import { SLICE_ROWS } from '../slices.ts';
import { ofAccount, shifted, type Tables } from '../table.ts';

/** The number of such a row is not used elsewhere, so the other store gives a new one. */
const withOwnNumber = ofAccount({ rowid: 'NULL' });

export const INVENTORY_TABLES = {
  inventory_proxy: { move: withOwnNumber },
  inventory_change: {
    // Numbers rise with time, so only the oldest changes have to be checked.
    expired: `at < @oldest AND number IN (
      SELECT number FROM inventory_change WHERE account_id = @accountId ORDER BY number LIMIT ${SLICE_ROWS})`,
    highest: "SELECT coalesce(max(seq), 0) FROM main.sqlite_sequence WHERE name = 'inventory_change'",
    move: ofAccount({ number: shifted('number', 'inventory_change') }),
  },
  // A service that is no longer requested expires.
  service: { times: ['asked_at', 'answered_at'], expired: 'asked_at < @oldest', move: withOwnNumber },
  place: { move: ofAccount() },
  product: { move: ofAccount() },
  quote: { times: ['answered_at'], move: ofAccount() },
} as const satisfies Tables;
