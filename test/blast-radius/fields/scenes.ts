// Defines the accounts in which fields are changed. Each has only the collectors that the changed answers concern.

import type { CollectorName } from '../../../src/collectors/context.ts';
import { MINUTE } from '../../../src/lib/time.ts';
import type { TwinsOptions } from '../../support/twins.ts';
import { WATCHED } from '../watched-account.ts';

export interface Scene {
  readonly collectors: readonly CollectorName[];
  /** The endpoints whose answers are changed. */
  readonly endpoints: readonly string[];
  /** The fields that concern the collectors, by endpoint. By default all do. */
  readonly fields?: Readonly<Record<string, RegExp>>;
  /** Whether the preparation takes a whole day, so that there is a day to reconcile. */
  readonly isDayLong: boolean;
}

export type SceneName = 'traffic' | 'proxies' | 'proxy-tests' | 'orders-and-places';

export const SCENES: Readonly<Record<SceneName, Scene>> = {
  traffic: {
    collectors: ['traffic', 'residential_ledger', 'proxy_users', 'reconciliation'],
    endpoints: ['analytics/graph', 'residential_ledger/search', 'proxy_user/search'],
    isDayLong: true,
  },
  proxies: {
    collectors: ['inventory', 'services'],
    endpoints: ['proxy/search', 'service/retrieve'],
    isDayLong: false,
  },
  'proxy-tests': {
    collectors: ['proxy_tests'],
    endpoints: ['proxy_test_run/create', 'proxy/search', 'service/retrieve', 'proxy_user/search'],
    fields: { 'service/retrieve': /^data($|\.service_id$|\.proxies)/ },
    isDayLong: false,
  },
  'orders-and-places': {
    collectors: ['catalog', 'quotes', 'geography'],
    endpoints: [
      'checkout/catalog',
      'checkout/quote',
      'continent/search',
      'asn/search',
      'city/retrieve',
      'subdivision/retrieve',
    ],
    isDayLong: false,
  },
};

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

const settingsOf = (collector: CollectorName): unknown => WATCHED.account[collector];
