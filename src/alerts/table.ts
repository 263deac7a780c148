// The one table of alerts: rules for Prometheus, docs/alerts.md and the daemon's own evaluation are made of it.

import type { Alert } from './alert.ts';
import { CATALOG_ALERTS } from './table/catalog.ts';
import { COLLECTOR_ALERTS } from './table/collectors.ts';
import { PROXY_TEST_ALERTS } from './table/proxy-tests.ts';
import { QUOTE_ALERTS } from './table/quotes.ts';
import { SERVICE_ALERTS } from './table/services.ts';

/** In the order of the documentation. */
export const ALERTS: readonly Alert[] = [
  ...COLLECTOR_ALERTS,
  ...PROXY_TEST_ALERTS,
  ...SERVICE_ALERTS,
  ...CATALOG_ALERTS,
  ...QUOTE_ALERTS,
];
