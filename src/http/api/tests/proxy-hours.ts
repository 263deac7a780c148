// Serves GET /api/v1/uptimes/hours: the last 24 hours of the proxies of a list, as lists of numbers.

import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import type { Uptime } from '../../../store/test-history-store.ts';
import { account, count, orNull, rfc3339, text, time } from '../item.ts';
import * as parameters from '../parameters.ts';
import { route, selectedAccounts } from '../route.ts';

const sums = z.array(count);

export const proxyHours = z
  .strictObject({
    from: time.describe('Start of the first hour, in UTC. The last hour is the current one'),
    data: z
      .array(
        z.strictObject({
          ...{ account, id: text.describe('The `proxy_id`') },
          ...{ results: sums, successes: sums },
          own_failures: z
            .array(orNull.count)
            .describe('Null for an hour with failures that an earlier version stored'),
        }),
      )
      .describe('Requested proxies with results, each with 24 values, oldest first'),
  })
  .meta({ id: 'ProxyHours' });

/** Without failures it is known that none is the fault of the proxy. */
const columnsOf = (hours: readonly Uptime[]) => ({
  results: hours.map(({ results }) => results),
  successes: hours.map(({ successes }) => successes),
  own_failures: hours.map(({ results, successes, ownFailures: own }) => (results === successes ? 0 : own)),
});

export const PROXY_HOURS_ROUTE = route({
  path: '/api/v1/uptimes/hours',
  collector: 'proxy_tests',
  summary: 'Results of several proxies by hour for 24 hours, in few bytes',
  query: {
    account: parameters.account,
    id: parameters.texts.describe('The `proxy_id` of a proxy. You can repeat the parameter'),
  },
  answer: proxyHours,
  revision: (view) => view.tests.revision(),
  read: async ({ view, query: { account: requested, id } }) => {
    const data: z.output<typeof proxyHours>['data'] = [];
    let from = 0;
    for (const account of selectedAccounts(requested, view)) {
      const found = await view.tests.proxyHours(account, id);
      from = found.from;
      for (const each of new Set(id)) {
        const hours = found.hours.get(each);
        if (hours) data.push({ account, id: each, ...columnsOf(hours) });
      }
      await setImmediate();
    }
    return { from: rfc3339(from), data };
  },
});
