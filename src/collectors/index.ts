// Lists all collectors and their metric families.

import type { Family } from '../lib/family.ts';
import { adjustments } from './adjustments/adjustments.ts';
import { catalog } from './catalog/catalog.ts';
import type { Collector } from './collector.ts';
import { COMMON_FAMILIES } from './common-families.ts';
import type { CollectorName } from './context.ts';
import { customer } from './customer/customer.ts';
import { geography } from './geography/geography.ts';
import { inventory } from './inventory/inventory.ts';
import { mobileLedger, residentialLedger } from './ledger/ledger.ts';
import { prices } from './prices/prices.ts';
import { probes } from './probes/probes.ts';
import { proxyTests } from './proxy-tests/proxy-tests.ts';
import { proxyUsers } from './proxy-users/proxy-users.ts';
import { quotes } from './quotes/quotes.ts';
import { reconciliation } from './reconciliation/reconciliation.ts';
import { requestLog } from './request-log/request-log.ts';
import { services } from './services/services.ts';
import { traffic } from './traffic/traffic.ts';
import { usage } from './usage/usage.ts';

/** The collectors by their sections of the configuration, in the order of the exposition. */
export const COLLECTORS_BY_NAME = {
  traffic,
  residential_ledger: residentialLedger,
  mobile_ledger: mobileLedger,
  customer,
  usage,
  prices,
  adjustments,
  request_log: requestLog,
  proxy_users: proxyUsers,
  proxy_tests: proxyTests,
  probes,
  catalog,
  quotes,
  geography,
  inventory,
  services,
  reconciliation,
} satisfies Readonly<Record<CollectorName, Collector>>;

export const COLLECTORS: readonly Collector[] = Object.values<Collector>(COLLECTORS_BY_NAME);

/** Returns sections that turn on all collectors that are off by default and need no settings. Each has these settings. */
export const optionalSections = (settings: object = {}): Readonly<Partial<Record<CollectorName, object>>> =>
  Object.fromEntries(
    COLLECTORS.filter(
      ({ isOnByDefault, options }) => !isOnByDefault && options.safeParse(settings).success,
    ).map(({ name }) => [name, settings]),
  );

/** All families that are read from the store, in the order of the exposition. */
export const FAMILIES: readonly Family[] = [
  // Two collectors may expose the same family, which is listed once.
  ...new Set([...COLLECTORS.flatMap(({ families }) => families), ...COMMON_FAMILIES]),
];

/** The families of stored history, in the order of a backfill. */
export const HISTORY_FAMILIES: readonly Family[] = COLLECTORS.flatMap(({ history = [] }) =>
  history.flatMap(({ families }) => families.map(({ family }) => family)),
);
