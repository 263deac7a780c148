// Lists all routes and actions of the API.

import { ADJUSTMENT_ROUTE } from './adjustments.ts';
import { ALERT_GROUP_ROUTE } from './alert-groups.ts';
import { ALERT_HISTORY_ROUTE } from './alert-history.ts';
import { ALERT_ROUTE } from './alerts.ts';
import { COST_ROUTE } from './cost.ts';
import { CUSTOMER_ROUTE } from './customers.ts';
import { EVENT_ROUTE } from './events.ts';
import { INVENTORY_ROUTES } from './inventory.ts';
import { INVOICE_ROUTE } from './invoice/invoice.ts';
import { LEDGER_ROUTES } from './ledger.ts';
import { PLACE_LIST, PRODUCT_LIST } from './market.ts';
import { NOTICE_ROUTE } from './notices.ts';
import { QUOTE_ROUTE } from './quotes.ts';
import { RECONCILIATION_ROUTE } from './reconciliation.ts';
import { REPORT_ROUTE } from './report/report.ts';
import { REQUEST_ERRORS_ROUTE } from './request-errors.ts';
import type { ApiAction, ApiRoute } from './route.ts';
import { SERVICE_SUMMARY_ROUTE } from './service-labels.ts';
import { SERVICE_ROUTES } from './services.ts';
import { SILENCE_ACTIONS, SILENCE_ROUTE } from './silences.ts';
import { PROVIDER_REPORT_ROUTE, STATUS_ROUTES } from './status.ts';
import { FAILURE_ROUTE } from './tests/failures.ts';
import { SUBJECT_ROUTES } from './tests/subject-routes.ts';
import { TEST_NOW_ACTION, TEST_NOW_ROUTE } from './tests/test-now.ts';
import { TEST_ROUTES } from './tests/tests.ts';
import { UPTIME_ROUTES } from './tests/uptimes.ts';
import { TRAFFIC_ROUTES } from './traffic.ts';
import { USAGE_ROUTE } from './usage.ts';
import { USER_RANKING_ROUTES } from './users/user-ranking.ts';
import { USER_USE_ROUTE } from './users/user-use.ts';
import { USER_ROUTES } from './users/users.ts';

export const API_ROUTES: readonly ApiRoute[] = [
  ...STATUS_ROUTES,
  ALERT_ROUTE,
  ALERT_GROUP_ROUTE,
  ALERT_HISTORY_ROUTE,
  NOTICE_ROUTE,
  SILENCE_ROUTE,
  ...TRAFFIC_ROUTES,
  EVENT_ROUTE,
  ...LEDGER_ROUTES,
  CUSTOMER_ROUTE,
  COST_ROUTE,
  USAGE_ROUTE,
  ADJUSTMENT_ROUTE,
  REQUEST_ERRORS_ROUTE,
  ...USER_ROUTES,
  USER_USE_ROUTE,
  ...USER_RANKING_ROUTES,
  ...TEST_ROUTES,
  FAILURE_ROUTE,
  ...SUBJECT_ROUTES,
  TEST_NOW_ROUTE,
  ...UPTIME_ROUTES,
  ...INVENTORY_ROUTES,
  ...SERVICE_ROUTES,
  SERVICE_SUMMARY_ROUTE,
  PRODUCT_LIST.route,
  PLACE_LIST.route,
  QUOTE_ROUTE,
  RECONCILIATION_ROUTE,
  INVOICE_ROUTE,
  REPORT_ROUTE,
  PROVIDER_REPORT_ROUTE,
];

export const API_ACTIONS: readonly ApiAction[] = [...SILENCE_ACTIONS, TEST_NOW_ACTION];
