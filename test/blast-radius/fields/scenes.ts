// Defines the accounts in which fields are changed. Each has only the collectors that the changed answers concern.

import type { CollectorName } from '../../../src/collectors/context.ts';
import { COLLECTORS_BY_NAME } from '../../../src/collectors/index.ts';
import { MINUTE } from '../../../src/lib/time.ts';
import { CUSTOMER_ENDPOINT } from '../../../src/provider/resources/proxy-users.ts';
import type { TwinsOptions } from '../../support/twins.ts';
import { REQUEST_LOG, USAGE, WATCHED } from '../watched-account.ts';

export interface Scene {
  readonly collectors: readonly CollectorName[];
  /** The endpoints whose answers are changed. By default those of the collectors, but not the question for the customer. */
  readonly endpoints?: readonly string[];
  /** The fields that concern the collectors, by endpoint. By default all do. */
  readonly fields?: Readonly<Record<string, RegExp>>;
  /** Whether the preparation takes a whole day, so that there is a day to reconcile. */
  readonly isDayLong: boolean;
}

export type SceneName = 'traffic' | 'proxies' | 'proxy-tests' | 'orders-and-places';

export const SCENES: Readonly<Record<SceneName, Scene>> = {
  traffic: {
    collectors: ['traffic', 'residential_ledger', 'mobile_ledger', 'proxy_users', 'reconciliation'],
    isDayLong: true,
  },
  proxies: {
    collectors: ['inventory', 'services'],
    isDayLong: false,
  },
  'proxy-tests': {
    collectors: ['proxy_tests'],
    endpoints: ['proxy_test_run/create', 'proxy/search', 'service/retrieve', CUSTOMER_ENDPOINT],
    fields: { 'service/retrieve': /^data($|\.service_id$|\.proxies)/ },
    isDayLong: false,
  },
  'orders-and-places': {
    collectors: ['catalog', 'quotes', 'geography', 'customer', 'usage', 'adjustments', 'request_log'],
    isDayLong: false,
  },
};

/** Returns the endpoints whose answers are changed. */
export const endpointsOf = ({ collectors, endpoints }: Scene): readonly string[] =>
  endpoints ?? [...new Set(collectors.flatMap(mainEndpointsOf))];

const mainEndpointsOf = (name: CollectorName): readonly string[] =>
  COLLECTORS_BY_NAME[name].endpoints.filter(
    (endpoint) => endpoint !== CUSTOMER_ENDPOINT || name === 'proxy_users',
  );

/** Some collectors are on by default. */
const OFF = { traffic: false, residential_ledger: false, proxy_users: false };

export const twinsOptionsOf = ({ collectors, isDayLong }: Scene): TwinsOptions => ({
  ...WATCHED,
  scenario: { ...WATCHED.scenario, users: 5, proxies: 24 },
  account: { ...OFF, ...Object.fromEntries(collectors.map((name) => [name, settingsOf(name)])) },
  preparation: isDayLong ? WATCHED.preparation : Array<number>(3).fill(10 * MINUTE),
  // Three polls, because a value that two listings lack is left out. The end is after midnight, when the day is compared.
  life: [10 * MINUTE, 20 * MINUTE, 20 * MINUTE],
});

const settingsOf = (collector: CollectorName): unknown =>
  (({ usage: USAGE, request_log: REQUEST_LOG }) as Partial<Record<CollectorName, unknown>>)[collector] ??
  WATCHED.account[collector];
