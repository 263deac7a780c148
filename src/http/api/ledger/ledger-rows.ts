// Serves GET /api/v1/ledger/rows: the rows of the provider's residential ledger.

import { z } from 'zod';
import { DAY } from '../../../lib/time.ts';
import type { LedgerPosition, StoredLedgerRow } from '../../../store/ledger-store.ts';
import type { AccountView, DaemonView } from '../../daemon-view.ts';
import { rfc3339 } from '../../rfc3339.ts';
import { addDays, type DateRange, dateQuery, dateRangeError, dateRangeOf } from '../dates.ts';
import { account, count, date, text, time } from '../fields.ts';
import { listRoute } from '../list-route.ts';
import type { ListAfter } from '../page.ts';
import { accountWithCollector, revisionOfParts } from '../route.ts';

const row = z
  .strictObject({
    account,
    residential_ledger_id: text,
    date: date.describe('Day in the account’s `time_zone`'),
    reason: text,
    service_id: text.nullable(),
    service_adjustment_id: count.nullable(),
    bytes: count
      .nullable()
      .describe('The provider’s value with its sign, or null until the next poll of the ledger'),
    added_bytes: count.describe('Bytes that the row adds to the balance'),
    used_bytes: count.describe('Bytes that the row takes from the balance'),
    requests: count.nullable(),
    created_at: time.nullable(),
    updated_at: time.nullable(),
  })
  .meta({ id: 'LedgerRow' });

const rowJson = (account: string, row: StoredLedgerRow) => ({
  account,
  residential_ledger_id: row.id,
  date: row.periodDate,
  reason: row.reason,
  service_id: row.serviceId,
  service_adjustment_id: row.adjustmentId,
  bytes: row.bytes,
  added_bytes: row.addedBytes,
  used_bytes: row.usedBytes,
  requests: row.requests,
  created_at: rfc3339(row.createdAt),
  updated_at: rfc3339(row.updatedAt),
});

const rowsAfter =
  (view: DaemonView, dates: (found: AccountView) => DateRange): ListAfter<StoredLedgerRow> =>
  async (name, after, limit) => {
    const found = accountWithCollector(view, name, 'residential_ledger');
    if (!found) return [];
    const { from, to } = dates(found);
    const position = after === null ? null : positionOf(after);
    const rows = await found.store.ledger.rows(name, from, addDays(to, 1), position, limit);
    return rows.map((row) => ({ id: idOf(row), read: async () => row }));
  };

const idOf = ({ periodDate, id }: LedgerPosition): string => `${periodDate}\n${id}`;

const positionOf = (id: string): LedgerPosition => {
  const [periodDate = '', ...rest] = id.split('\n');
  return { periodDate, id: rest.join('\n') };
};

export const LEDGER_ROW_ROUTES = [
  listRoute({
    path: '/api/v1/ledger/rows',
    collector: 'residential_ledger',
    summary: 'Rows of the residential ledger, oldest first',
    query: dateQuery,
    item: row,
    revision: revisionOfParts(['ledger'], DAY),
    list: (view, query) => dateRangeError(query) ?? rowsAfter(view, (found) => dateRangeOf(query, found)),
    toJson: rowJson,
  }),
];
