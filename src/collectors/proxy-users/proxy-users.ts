// Proxy users and their quotas, from proxy_user/search.

import { readProxyUsers } from '../../provider/resources/proxy-users.ts';
import type { UserObservation } from '../../store/user-store.ts';
import type { Collector, Outcome } from '../collector.ts';
import type { RunContext } from '../context.ts';
import { slotsPerDay } from '../cost.ts';
import { readListing } from '../listings/listing.ts';
import { OpenListing } from '../listings/open-listing.ts';
import { CreationTimes } from './creation-times.ts';
import { exposeUsers } from './expose.ts';
import { userFamilies } from './families.ts';
import { userHistory } from './history.ts';
import { type ProxyUserOptions, proxyUserOptions } from './options.ts';

const LISTED = { endpoint: 'proxy_user/search', unit: 'users' };
/** For the estimate of costs: how many there are is known once they are polled. */
const ASSUMED_USERS = 1_000;
/** One that says how the user is set up, and five for each product type sold by the byte. */
const SERIES_PER_USER = 11;

export const proxyUsers: Collector<ProxyUserOptions, State> = {
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
  open: async ({ account }) => ({
    listing: new OpenListing(),
    creationTimes: new CreationTimes(account.time_zone),
  }),
  collect,
  expose: exposeUsers,
  history: userHistory,
};

/** What the runs of an account share. */
interface State {
  readonly listing: OpenListing;
  readonly creationTimes: CreationTimes;
}

async function collect(context: RunContext<ProxyUserOptions>, state: State): Promise<Outcome> {
  const { account, client, clock, signal, store } = context;
  const { creationTimes } = state;
  const read = await readListing(
    context,
    LISTED,
    (progress) => readProxyUsers(client, { signal, progress }),
    async (page, { runStartedAt, passStartedAt }) => {
      creationTimes.see(page, clock.now());
      const more = { passStartedAt, bornAt: (user: UserObservation) => creationTimes.of(user) };
      await store.users.savePage(account.name, page, clock.now(), runStartedAt, more);
    },
    state.listing,
  );
  const { seen, startedAt, isComplete, isCounted, isResumed, outcome } = read;
  if (isComplete && !isResumed) await store.users.completeListing(account.name, seen, startedAt, clock.now());
  else if (isCounted) await store.users.countListing(account.name, startedAt, clock.now());
  return outcome;
}
