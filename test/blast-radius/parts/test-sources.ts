// Says what changes when a source of proxies to test cannot be read.

import { TESTED_IDS } from '../watched-account.ts';
import type { Derived } from './part.ts';

const READ_SINCE_START =
  'proxies that a source names are tested only after proxywatch has read the source since its start';

/** What stops if one source is not read: the results of its proxies, and their share of the sums and costs of all. */
export const testedExcept = (...others: readonly (keyof typeof TESTED_IDS)[]): Derived[] => [
  {
    group: 'results',
    except: { proxy_id: others.flatMap((source) => TESTED_IDS[source]) },
    reason: READ_SINCE_START,
  },
  {
    group: 'fleet',
    except: { kind: ['target', 'tester', 'provider'] },
    reason: 'it counts all tested proxies',
  },
  { group: 'budget', reason: 'fewer proxies need fewer test runs' },
];

export const TESTED_INFO: Derived = {
  group: 'inventory',
  families: ['proxy_info'],
  reason: 'the inventory shows which of its proxies are tested',
};
