// Collects proxy users and their quotas from proxy_user/search.

import { readProxyUsers } from '../../provider/resources/proxy-users.ts';
import type { UserObservation, UserPageOptions } from '../../store/user-store.ts';
import { type Collector, describeNumber, type Outcome, slotsPerDay } from '../collector.ts';
import type { RunContext } from '../context.ts';
import { type PageTimes, readListing } from '../listings/listing.ts';
import { ResumableListing } from '../listings/resumable-listing.ts';
import { metadataLabelMistakes } from '../metadata-labels.ts';
import { exposeUsers, userHistory } from './expose.ts';
import { KnownUsers } from './known-users.ts';
import { type ProxyUserOptions, proxyUserOptions, userFamilies } from './options.ts';
import { UserBlocks } from './user-blocks.ts';
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
  mistakes: ({ labels_from_metadata }) => metadataLabelMistakes(labels_from_metadata, userFamilies.user_info),
  open: async ({ account }) => {
    const known = new KnownUsers();
    return {
      ...{ listing: new ResumableListing(), known, blocks: new UserBlocks(known) },
      creationTimes: new CreationTimes(account.time_zone),
    };
  },
  collect,
  expose: exposeUsers,
  history: userHistory,
};

/** The state that the runs of an account share. */
interface State {
  readonly listing: ResumableListing;
  readonly known: KnownUsers;
  readonly blocks: UserBlocks;
  readonly creationTimes: CreationTimes;
}

/** At least so many changed users are stored together, so that a quiet poll has few transactions. */
const SAVED_AT_ONCE = 100;

async function collect(context: RunContext<ProxyUserOptions>, state: State): Promise<Outcome> {
  const { account, client, clock, options, signal, store } = context;
  const { known } = state;
  /** By id: the newest answers about changed users that are not stored yet. */
  const changed = new Map<string, UserObservation>();
  let times: PageTimes | undefined;
  const save = async ({ runStartedAt, passStartedAt }: PageTimes): Promise<void> => {
    const users = [...changed.values()];
    changed.clear();
    const pageOptions = pageOptionsOf(state, users, passStartedAt, clock.now());
    try {
      const settled = await store.users.savePage(account.name, users, clock.now(), runStartedAt, pageOptions);
      known.stored(users, settled);
    } catch (error) {
      // These users may be of earlier pages than those that a continued listing would read again.
      state.listing.restart();
      throw error;
    }
  };
  const readUsers = () =>
    readListing(
      context,
      RESOURCE,
      (progress) => readProxyUsers(client, { signal, progress }, options.labels_from_metadata),
      async (users, pageTimes) => {
        const different = new Set(known.changedOf(users));
        for (const user of users) if (different.has(user) || changed.has(user.id)) changed.set(user.id, user);
        // The first page says that a run has begun to store, whether or not its users have changed.
        if (!times || changed.size >= SAVED_AT_ONCE) await save(pageTimes);
        times = pageTimes;
      },
      state.listing,
    );
  const { seenIds, skippedIds, startedAt, isComplete, isCounted, isResumed, outcome } =
    await readUsers().finally(async () => times && changed.size > 0 && save(times));
  if (isCounted) known.keepOnly(seenIds);
  if (isComplete && !isResumed) {
    try {
      await store.users.completeListing(account.name, seenIds, startedAt, clock.now());
    } finally {
      // A removed user is shown again, as it was stored, if it is listed but cannot be read.
      for (const id of skippedIds) known.mayHaveChanged(id);
    }
  } else if (isCounted) await store.users.countListing(account.name, startedAt, clock.now());
  return outcome;
}

const pageOptionsOf = (
  { creationTimes }: State,
  users: readonly UserObservation[],
  listingStartedAt: number,
  now: number,
): UserPageOptions => {
  creationTimes.checkTimes(users, now);
  return { listingStartedAt, createdAtOf: (user) => creationTimes.createdAt(user) };
};
