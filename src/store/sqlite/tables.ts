// Lists all tables of the store. Each is described in its own room.

import { ACCOUNT_TABLES } from './accounts/listings.ts';
import { ADJUSTMENT_TABLES } from './adjustments/adjustments.ts';
import { CUSTOMER_TABLES } from './customers.ts';
import { INVENTORY_TABLES } from './inventory/changes.ts';
import { LEDGER_TABLES } from './ledger/rows.ts';
import { LOG_SUMMARY_TABLES } from './log-summaries/rows.ts';
import { ALERT_TABLES } from './notifications/told-alerts.ts';
import { PRICE_TABLES } from './prices.ts';
import { PUBLICATION_TABLES } from './publication/publication.ts';
import { REQUEST_LOG_TABLES } from './request-log/request-log.ts';
import type { Table } from './table.ts';
import { TEST_TABLES } from './tests/tables.ts';
import { TRAFFIC_TABLES } from './traffic/graph-gaps.ts';
import { USER_TABLES } from './users/user-row.ts';
import { PROBE_TABLES } from './vantage/probes.ts';

/** The tables in an order in which rows follow those that they refer to. */
export const TABLES: readonly (readonly [name: string, table: Table])[] = Object.entries<Table>({
  ...ACCOUNT_TABLES,
  ...TRAFFIC_TABLES,
  ...LEDGER_TABLES,
  ...CUSTOMER_TABLES,
  ...LOG_SUMMARY_TABLES,
  ...PRICE_TABLES,
  ...ADJUSTMENT_TABLES,
  ...REQUEST_LOG_TABLES,
  ...USER_TABLES,
  ...INVENTORY_TABLES,
  ...TEST_TABLES,
  ...PROBE_TABLES,
  ...PUBLICATION_TABLES,
  ...ALERT_TABLES,
});

/** Returns what `select` makes of each table, without what is empty or undefined. */
export const ofTables = <T>(select: (table: Table, name: string) => T | '' | undefined): T[] =>
  TABLES.map(([name, table]) => select(table, name)).filter((found): found is T => Boolean(found));
