// The one table of alerts: rules for Prometheus, docs/alerts.md and the daemon's own evaluation are made of it.

import type { Alert } from './alert.ts';
import { COLLECTOR_ALERTS } from './table/collectors.ts';
import { PROXY_TEST_ALERTS } from './table/proxy-tests.ts';
import { QUOTE_ALERTS } from './table/quotes.ts';

/** In the order of the documentation. */
export const ALERTS: readonly Alert[] = [...COLLECTOR_ALERTS, ...PROXY_TEST_ALERTS, ...QUOTE_ALERTS];
