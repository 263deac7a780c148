// Lists all alerts. The rules for Prometheus, docs/alerts.md and the daemon's own evaluation are generated from it.

import type { Alert } from './alert.ts';
import { MOBILE_BALANCE_ALERTS, RESIDENTIAL_BALANCE_ALERTS, SPEND_ALERTS } from './table/balances.ts';
import { DAEMON_ALERTS } from './table/daemon.ts';
import { CATALOG_ALERTS, PLACEMENT_ALERTS, QUOTE_ALERTS } from './table/market.ts';
import { POLLING_ALERTS } from './table/polling.ts';
import { PROBE_ALERTS } from './table/probes.ts';
import { PROVIDER_ALERTS } from './table/provider.ts';
import { PROXY_TEST_ALERTS, TEST_SCHEDULE_ALERTS } from './table/proxy-tests.ts';
import { PROXY_USER_ALERTS } from './table/proxy-users.ts';
import { REQUEST_ALERTS } from './table/requests.ts';
import { SERVICE_ALERTS } from './table/services.ts';
import { RECONCILIATION_ALERTS, TRAFFIC_ALERTS } from './table/traffic.ts';

/** In the order in which the documentation lists them. */
export const ALERTS: readonly Alert[] = [
  ...PROVIDER_ALERTS,
  ...POLLING_ALERTS,
  ...PROXY_TEST_ALERTS,
  ...TEST_SCHEDULE_ALERTS,
  ...PROBE_ALERTS,
  ...TRAFFIC_ALERTS,
  ...REQUEST_ALERTS,
  ...RESIDENTIAL_BALANCE_ALERTS,
  ...MOBILE_BALANCE_ALERTS,
  ...SPEND_ALERTS,
  ...PROXY_USER_ALERTS,
  ...RECONCILIATION_ALERTS,
  ...SERVICE_ALERTS,
  ...PLACEMENT_ALERTS,
  ...CATALOG_ALERTS,
  ...QUOTE_ALERTS,
  ...DAEMON_ALERTS,
];
