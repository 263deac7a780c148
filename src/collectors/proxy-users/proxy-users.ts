// Proxy users and their quotas, from proxy_user/search.

import { readProxyUsers } from '../../provider/proxy-users.ts';
import type { Collector, Outcome, RunContext } from '../collector.ts';
import { slotsPerDay } from '../cost.ts';
import { readListing } from '../listing.ts';
import { exposeUsers } from './expose.ts';
import { userFamilies } from './families.ts';
import { userHistory } from './history.ts';
import { type ProxyUserOptions, proxyUserOptions } from './options.ts';

const LISTED = { endpoint: 'proxy_user/search', unit: 'users' };
/** For the estimate of costs: how many there are is known once they are polled. */
const ASSUMED_USERS = 1_000;
/** One that says how the user is set up, and five for each product type sold by the byte. */
const SERIES_PER_USER = 11;

export const proxyUsers: Collector<ProxyUserOptions> = {
  name: 'proxy_users',
  endpoints: [LISTED.endpoint],
  families: Object.values(userFamilies),
  options: proxyUserOptions,
  cost: ({ schedule, max_series_users }, zone, now) => ({
    requestsPerDay: (slotsPerDay(schedule, zone, now) * ASSUMED_USERS) / 100,
    series: Math.min(ASSUMED_USERS, max_series_users) * SERIES_PER_USER,
    assumptions: [`${ASSUMED_USERS} proxy users; each further 100 cost a request more a poll`],
    warnings: [],
  }),
  collect,
  expose: exposeUsers,
  history: userHistory,
};

async function collect(context: RunContext<ProxyUserOptions>): Promise<Outcome> {
  const { account, client, clock, signal, store } = context;
  const { seen, startedAt, isComplete, skipped, failedParts } = await readListing(
    context,
    LISTED,
    () => readProxyUsers(client, { signal }),
    async (page, startedAt) => store.users.savePage(account.name, page, clock.now(), startedAt),
  );
  if (isComplete) await store.users.completeListing(account.name, seen, startedAt, clock.now());
  return { skipped, failedParts };
}
