// Serves GET /api/v1/users/use: the proxy users that use the most bytes in a range of days or hours.

import type { LabelParts } from '../../../lib/label-parts.ts';
import { type LocalHour, lastEndedHours } from '../../../lib/local-days.ts';
import { METERED_TYPES, type MeteredType } from '../../../lib/product-types.ts';
import { DAY, QUARTER } from '../../../lib/time.ts';
import type { CountedUse, HourCut, UseDay, UsedBytes, UsersUse } from '../../../store/user-use-store.ts';
import type { AccountView } from '../../daemon-view.ts';
import { rfc3339 } from '../item.ts';
import { labelPartsJson } from '../label-parts.ts';
import * as parameters from '../parameters.ts';
import { ApiError, accountWithCollector, route, selectedAccounts } from '../route.ts';
import { RankingCache, type Revised } from './ranking-cache.ts';
import { knownUse } from './user-use.ts';
import { type KnownBytes, type LabelShares, ranking, type UserShare } from './user-use-json.ts';

/** The first and the last day. */
interface RankedRange extends parameters.DateRange {
  readonly hours?: HourCut | undefined;
}

type RankedPeriod = CountedUse & Pick<UseDay, 'day'>;

/** The store has the hours of 8 days. */
const MAX_HOURS = 168;

const rangeQuery = {
  ...parameters.dateQuery,
  hours: parameters
    .numberUpTo(MAX_HOURS)
    .optional()
    .describe('The last hours that have ended, instead of `from` and `to`'),
} as const;

type Requested = Partial<Readonly<Record<'from' | 'to', string | undefined>>> & {
  readonly hours?: number | undefined;
};

/** Throws ApiError. */
const checkRange = (query: Requested): void => {
  parameters.checkDates(query);
  if (query.hours !== undefined && (query.from ?? query.to) !== undefined)
    throw new ApiError(400, 'hours: expected either hours, or from and to');
};

/** Returns the requested days, or those of the last hours. */
const rangeOf = (query: Requested, found: AccountView): RankedRange => {
  if (query.hours === undefined) return parameters.dateRangeOf(query, found);
  const { first, last } = lastEndedHours(found.settings.time_zone, found.clock.now(), query.hours);
  return { from: dateOf(first), to: dateOf(last), hours: { first: first.index, last: last.index } };
};

const dateOf = ({ day }: LocalHour): string => new Date(day * DAY).toISOString().slice(0, 10);

const hoursOf = (
  days: readonly UseDay[],
  { from, to, hours }: { readonly from: number; readonly to: number; readonly hours: HourCut },
): RankedPeriod[] =>
  days.flatMap(({ day, hours: known }) =>
    [...known]
      .filter(([index]) => (day > from || index >= hours.first) && (day < to || index <= hours.last))
      .sort(([one], [other]) => one - other)
      .map(([, hour]) => ({ ...hour, day })),
  );

type Types = readonly MeteredType[];
type StoredAccount = Pick<AccountView, 'settings' | 'store'>;

type RankedAccount = Awaited<ReturnType<typeof rankAccount>>;

const cache = new RankingCache();
/** Metadata can change with each listing, and the use only with each hour. */
const labelCache = new RankingCache();

const sizeOf = (bytes: UsedBytes, types: Types): number => types.reduce((sum, type) => sum + bytes[type], 0);

export const rankAccount = async (
  view: Revised,
  found: StoredAccount,
  { hours, ...dates }: RankedRange,
  types: Types,
  labels: readonly string[] = [],
) => {
  const { store, settings } = found;
  const [from, to] = [Date.parse(dates.from) / DAY, Date.parse(dates.to) / DAY];
  const days = await store.userUse.days(settings.name, from, to);
  const revision = view.revision(labels.length > 0 ? ['userUse', 'users'] : ['userUse']);
  const read = await (labels.length > 0 ? labelCache : cache).read(view, revision, store, settings.name, {
    ...{ from, to, hours, types, labels },
  });
  const { first, users, sum, deletedUsers } = read;
  // The days, or the hours of the request, with known use.
  const periods: readonly RankedPeriod[] = hours === undefined ? days : hoursOf(days, { from, to, hours });
  const json = {
    account: settings.name,
    ...dates,
    counted_since: rfc3339(periods[0]?.since ?? null),
    counted_until: rfc3339(periods.at(-1)?.until ?? null),
    counted_days: new Set(periods.map(({ day }) => day)).size,
    users,
    deleted_users: deletedUsers,
    bytes: periods.length === 0 ? null : knownSum(sum, periods),
  };
  return { found, json, first, sum, days, periods, labels: read.labels };
};

/** Returns null for a type of which the provider gave no user's bytes in any of the periods. */
const knownSum = (sum: UsedBytes, periods: readonly RankedPeriod[]): KnownBytes => {
  const known = (type: MeteredType): number | null =>
    sum[type] > 0 || periods.some(({ isGiven }) => isGiven[type]) ? sum[type] : null;
  return { residential: known('residential'), mobile: known('mobile') };
};

export const largestUsers = async (
  accounts: readonly RankedAccount[],
  types: Types,
  limit: number,
): Promise<UserShare[]> => {
  const total = accounts.reduce((total, { sum }) => total + sizeOf(sum, types), 0);
  const users = accounts
    .flatMap(({ found, first, periods }) => first.map((use) => ({ ...use, found, periods })))
    .sort((one, other) => sizeOf(other.bytes, types) - sizeOf(one.bytes, types));
  const shares: UserShare[] = [];
  for (const { found, user, bytes, periods } of users.slice(0, limit)) {
    const ranked = await found.store.userUse.rankedUser(user);
    // Maintenance may have deleted the user since.
    if (!ranked) continue;
    shares.push({
      account: found.settings.name,
      proxy_user_id: ranked.id,
      is_removed: ranked.isRemoved,
      bytes: {
        residential: knownUse(bytes.residential, ranked.missing.residential, periods),
        mobile: knownUse(bytes.mobile, ranked.missing.mobile, periods),
      },
      share: sizeOf(bytes, types) / total,
    });
  }
  return shares;
};

/** Adds shares to the use by label, and makes bytes null that are null for the account. */
const labelShares = ({ found, sum, periods, labels }: RankedAccount, types: Types): LabelShares[] =>
  labels.map((label) => shareOf(found.settings.name, label, { sum, periods, types }));

const shareOf = (
  account: string,
  label: LabelParts<UsersUse>,
  { sum, periods, types }: Pick<RankedAccount, 'sum' | 'periods'> & { readonly types: Types },
): LabelShares => {
  const total = sizeOf(sum, types);
  const known = knownSum(sum, periods);
  return labelPartsJson(account, label, ({ users, bytes }) => ({
    users,
    bytes: {
      residential: known.residential === null ? null : bytes.residential,
      mobile: known.mobile === null ? null : bytes.mobile,
    },
    share: total > 0 ? sizeOf(bytes, types) / total : 0,
  }));
};

const labelsOf = ({ userOptions }: AccountView): readonly string[] => userOptions.labels_from_metadata;

export const USER_RANKING_ROUTES = [
  route({
    path: '/api/v1/users/use',
    collector: 'proxy_users',
    summary: 'Proxy users that use the most bytes, the largest first',
    query: {
      account: parameters.account,
      ...rangeQuery,
      product_type: parameters
        .oneOf(METERED_TYPES)
        .optional()
        .describe(
          'The product type to which the order and `share` refer. The default is the sum of both types',
        ),
      limit: parameters.limit.describe('Number of users'),
    },
    answer: ranking,
    revision: (view, { query }) => {
      const accounts = selectedAccounts(query.account, view).map((name) => view.account(name));
      const hasLabels = accounts.some((found) => found && labelsOf(found).length > 0);
      return view.revision(hasLabels ? ['userUse', 'users'] : ['userUse'], QUARTER);
    },
    read: async ({ view, query }) => {
      checkRange(query);
      const types = query.product_type ? [query.product_type] : METERED_TYPES;
      const accounts: RankedAccount[] = [];
      for (const name of selectedAccounts(query.account, view)) {
        const found = accountWithCollector(view, name, 'proxy_users');
        if (!found) continue;
        accounts.push(await rankAccount(view, found, rangeOf(query, found), types, labelsOf(found)));
      }
      return {
        accounts: accounts.map(({ json, periods }) => ({
          ...json,
          counted_hours: query.hours === undefined ? null : periods.length,
        })),
        data: await largestUsers(accounts, types, query.limit),
        labels: accounts.flatMap((account) => labelShares(account, types)),
      };
    },
  }),
];
