// Says by hand which families rest on which fields. What a field changes besides them is a fault of the code.

import { ORDER_AND_PLACE_RULES } from './resting/orders-and-places.ts';
import { PROXY_RULES } from './resting/proxies.ts';
import { PROXY_TEST_RULES } from './resting/proxy-tests.ts';
import type { EndpointRules, Resting } from './resting/rules.ts';
import { TRAFFIC_RULES } from './resting/traffic.ts';

/** By scene and endpoint. A field without a rule is shown by no series. */
const RESTING: Readonly<Record<string, EndpointRules>> = {
  traffic: TRAFFIC_RULES,
  proxies: PROXY_RULES,
  'proxy-tests': PROXY_TEST_RULES,
  'orders-and-places': ORDER_AND_PLACE_RULES,
};

/** The fields whose values of another type are not counted, with the reason. */
export const UNCOUNTED: readonly {
  readonly scene: string;
  readonly path: string;
  readonly reason: string;
}[] = [
  {
    scene: 'orders-and-places',
    path: 'data.line_items[].service_fulfillment_filter',
    reason: 'for an order of one product it is an object, which is valid',
  },
  {
    scene: 'proxy-tests',
    path: 'data[].customer_id',
    reason:
      'the question for the customer of the keys is optional, and the collector of proxy users counts the value',
  },
  {
    scene: 'proxy-tests',
    path: 'total_count',
    reason: 'a search for the password of one user does not need the total, and the listings count the value',
  },
];

/** Returns the rules of a field. */
export const restingOn = (scene: string, endpoint: string, path: string): readonly Resting[] =>
  (RESTING[scene]?.[endpoint] ?? []).flatMap(({ item, rules }) =>
    rules.filter(({ fields }) =>
      wordsIn(fields).some((name) => path === (item === '' ? name : `${item}.${name}`)),
    ),
  );

/** Whether a family, without `proxywatch_`, is one of `families`. */
export const isFamilyOf = ({ families }: Resting, family: string): boolean =>
  wordsIn(families).some((name) =>
    name.endsWith('*') ? family.startsWith(name.slice(0, -1)) : family === name,
  );

const wordsIn = (text: string): string[] => text.trim().split(/\s+/);
