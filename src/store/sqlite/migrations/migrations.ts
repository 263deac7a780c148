// Lists the migrations that lead to the current schema. `user_version` of a store is the number of steps taken.

import { ACCOUNT_MOVE } from './account-move.ts';
import { ALERT_HISTORY } from './alert-history.ts';
import { ALERTS } from './alerts.ts';
import { API_ENDPOINT_LABEL } from './api-endpoint-label.ts';
import { ATTRIBUTED_FAILURES } from './attributed-failures.ts';
import { CLOCK_STEP } from './clock-step.ts';
import { CUSTOMER_CONFLICT } from './customer-conflict.ts';
import { DETAILS } from './details.ts';
import { ENDPOINTS } from './endpoints.ts';
import { EPOCH } from './epoch.ts';
import { EXPIRED_VALUES } from './expired-values.ts';
import { FAULT_REASONS } from './fault-reasons.ts';
import { FIRST } from './first.ts';
import { GRAPH_GAPS } from './graph-gaps.ts';
import { HISTORY } from './history.ts';
import { INVENTORY } from './inventory.ts';
import { INVENTORY_IDS } from './inventory-ids.ts';
import { KNOWN_FAILURES } from './known-failures.ts';
import { LEDGER_BY_DATE } from './ledger-by-date.ts';
import { LEDGER_RULE } from './ledger-rule.ts';
import { LISTING_PASSES } from './listing-passes.ts';
import { MARKET_AND_PLACES } from './market-and-places.ts';
import { PACKED_TESTS } from './packed-tests.ts';
import { PROXY_ENDPOINTS } from './proxy-endpoints.ts';
import { PUBLICATION } from './publication.ts';
import { RECONCILIATION } from './reconciliation.ts';
import { REMAINING_FIELDS } from './remaining-fields.ts';
import { RENAME_COLUMNS } from './rename-columns.ts';
import { RUN_WATCH } from './run-watch.ts';
import { SERVICES } from './services.ts';
import { SILENCES } from './silences.ts';
import { TEST_PRICES } from './test-prices.ts';
import { TOLD_ALERTS } from './told-alerts.ts';
import { USER_USE } from './user-use.ts';
import { VANTAGE } from './vantage.ts';
import { WEEK_RHYTHM } from './week-rhythm.ts';

/** All changes of a release are one step, because stores of each release exist. */
const SECOND = [
  WEEK_RHYTHM,
  EPOCH,
  PACKED_TESTS,
  HISTORY,
  EXPIRED_VALUES,
  LEDGER_RULE,
  CUSTOMER_CONFLICT,
  MARKET_AND_PLACES,
  INVENTORY,
  SERVICES,
  RECONCILIATION,
].join('\n');

const THIRD = [FAULT_REASONS, DETAILS, RUN_WATCH, ALERTS, REMAINING_FIELDS].join('\n');

const FOURTH = [ENDPOINTS, LEDGER_BY_DATE, CLOCK_STEP, TEST_PRICES, GRAPH_GAPS, LISTING_PASSES].join('\n');

const FIFTH = RENAME_COLUMNS;

const SIXTH = [
  TOLD_ALERTS,
  SILENCES,
  ALERT_HISTORY,
  ATTRIBUTED_FAILURES,
  USER_USE,
  PROXY_ENDPOINTS,
  VANTAGE,
  PUBLICATION,
  ACCOUNT_MOVE,
].join('\n');

const SEVENTH = [API_ENDPOINT_LABEL, INVENTORY_IDS, KNOWN_FAILURES].join('\n');

/** The steps, in order. A released step is never changed. */
export const MIGRATIONS: readonly string[] = [FIRST, SECOND, THIRD, FOURTH, FIFTH, SIXTH, SEVENTH];
