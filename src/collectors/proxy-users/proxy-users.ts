// Collects proxy users and their quotas from proxy_user/search.

import { readProxyUsers } from '../../provider/resources/proxy-users.ts';
import type { UserPageOptions } from '../../store/user-store.ts';
import { type Collector, describeNumber, type Outcome, slotsPerDay } from '../collector.ts';
import type { RunContext } from '../context.ts';
import { readListing } from '../listings/listing.ts';
import { ResumableListing } from '../listings/resumable-listing.ts';
import { metadataLabelMistakes } from '../metadata-labels.ts';
import { exposeUsers } from './expose.ts';
import { userFamilies } from './families.ts';
import { userHistory } from './history.ts';
import { KnownUsers } from './known-users.ts';
import { type ProxyUserOptions, proxyUserOptions } from './options.ts';
import { CreationTimes } from './user-times.ts';

const RESOURCE = { endpoint: 'proxy_user/search', unit: 'users' };
/** The number of users for the estimate of costs, unless the store has them. */
const ASSUMED_USERS = 1_000;
/** One series for the user's setup, and five for each product type that is sold by the byte. */
const SERIES_PER_USER = 11;

export const proxyUsers: Collector<ProxyUserOptions, State> = {
  name: 'proxy_users',
  description: 'Proxy users and their quotas',
  isOnByDefault: true,
  endpoints: [RESOURCE.endpoint],
  families: Object.values(userFamilies),
  options: proxyUserOptions,
  cost: ({ schedule, max_series_users }, zone, now, _settings, { users } = {}) => ({
    requestsPerDay: (slotsPerDay(schedule, zone, now) * (users ?? ASSUMED_USERS)) / 100,
    series: Math.min(users ?? ASSUMED_USERS, max_series_users) * SERIES_PER_USER,
    assumptions: [
      `the account has ${describeNumber(users, ASSUMED_USERS, 'proxy users')}; each further 100 users cost one more request per poll`,
    ],
    warnings: [],
  }),
  mistakes: ({ labels_from_metadata }) => metadataLabelMistakes(labels_from_metadata, userFamilies.info),
  open: async ({ account }) => ({
    listing: new ResumableListing(),
    known: new KnownUsers(),
    creationTimes: new CreationTimes(account.time_zone),
  }),
  collect,
  expose: exposeUsers,
  history: userHistory,
};

/** The state that the runs of an account share. */
interface State {
  readonly listing: ResumableListing;
  readonly known: KnownUsers;
  readonly creationTimes: CreationTimes;
}

async function collect(context: RunContext<ProxyUserOptions>, state: State): Promise<Outcome> {
  const { account, client, clock, options, signal, store } = context;
  const { creationTimes, known } = state;
  let storedPages = 0;
  const read = await readListing(
    context,
    RESOURCE,
    (progress) => readProxyUsers(client, { signal, progress }, options.labels_from_metadata),
    async (users, { runStartedAt, passStartedAt }) => {
      const page = known.changedOf(users);
      // The first page says that a run has begun to store, whether or not its users have changed.
      if (page.length === 0 && storedPages > 0) return;
      creationTimes.checkTimes(page, clock.now());
      const pageOptions: UserPageOptions = {
        listingStartedAt: passStartedAt,
        createdAtOf: (user) => creationTimes.createdAt(user),
      };
      known.stored(
        page,
        await store.users.savePage(account.name, page, clock.now(), runStartedAt, pageOptions),
      );
      storedPages += 1;
    },
    state.listing,
  );
  const { seenIds, startedAt, isComplete, isCounted, isResumed, outcome } = read;
  if (isCounted) known.keepOnly(seenIds);
  if (isComplete && !isResumed)
    await store.users.completeListing(account.name, seenIds, startedAt, clock.now());
  else if (isCounted) await store.users.countListing(account.name, startedAt, clock.now());
  return outcome;
}
