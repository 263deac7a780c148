// Says what is known of why a proxy user began to use more bytes: new host names, failed requests, and unknown client addresses.

import { recentRise } from '../../lib/forecast.ts';
import type { MeteredType } from '../../lib/product-types.ts';
import { DAY, HOUR } from '../../lib/time.ts';
import { localDate } from '../../provider/resources/ledger.ts';
import { dayOf } from '../../store/log-summary-store.ts';
import { isWide } from '../../store/summarised-names.ts';
import type { StoredUser } from '../../store/user-store.ts';
import type { ReadContext } from '../context.ts';

/** The use of the last day is a rise if it is so many times that of the last week. */
const MIN_RISE = 1.5;
/** A cause is named if it has this share of the bytes, or is so many times as large as before. */
const MIN_SHARE = 0.1;
const MIN_GROWTH = 2;
/** The days before yesterday in which a host name is not new. */
const KNOWN_DAYS = 7;
/** The day before must be counted for so long, or its number says nothing. */
const MIN_COUNTED_MS = 20 * HOUR;
const MIN_FAILED = 100;
/** So long after their first request, clients are new. */
const NEW_MS = 2 * DAY;
/** More than the users with failed requests of a day. */
const ALL_NAMES = 10_000;

export interface Rise {
  /** The use of the last day, divided by that of the last week. */
  readonly ratio: number;
  /** Parts of a sentence; empty if no cause is known. */
  readonly causes: readonly string[];
}

type Context = Omit<ReadContext<unknown>, 'options'>;

/** Returns undefined if the use of the product type did not rise up to the newest complete listing. */
export const riseOf = async (
  context: Context,
  { id, quotas }: StoredUser,
  type: MeteredType,
): Promise<Rise | undefined> => {
  const { countedAt } = await context.store.users.listing(context.account.name);
  const ratio = countedAt === null ? 0 : (recentRise(quotas[type].rates, countedAt) ?? 0);
  if (ratio < MIN_RISE) return undefined;
  const causes = [newHostnames, failedRequests, newUnknownClients].map((cause) => cause(context, id, type));
  return { ratio, causes: (await Promise.all(causes)).filter((cause) => cause !== undefined) };
};

type Cause = (context: Context, user: string, type: MeteredType) => Promise<string | undefined>;

const newHostnames: Cause = async ({ account, store, clock }, user, network) => {
  const yesterday = dayOf(localDate(clock.now(), account.time_zone)) - DAY;
  const first = yesterday - KNOWN_DAYS * DAY;
  const known = (await store.logSummaries.days(account.name)).filter(
    ({ day, readAt, isDeleted }) => day >= first && day < yesterday && readAt > 0 && !isDeleted,
  );
  if (known.length < KNOWN_DAYS) return undefined;
  const query = { by: 'hostname', limit: Number.MAX_SAFE_INTEGER, user, network } as const;
  const { sums, total } = await store.logSummaries.sums(account.name, {
    ...query,
    ...{ from: yesterday, to: yesterday + DAY },
  });
  const earlier = await store.logSummaries.sums(account.name, {
    ...query,
    ...{ from: first, to: yesterday - DAY },
  });
  const names = new Set(earlier.sums.map(({ key }) => key));
  const found = sums.flatMap(({ key, values }) => {
    const [name, share] = [String(key), (values[0] ?? 0) / (total?.values[0] || Number.POSITIVE_INFINITY)];
    // The provider can have summarised it.
    const isKnown = names.has(name) || names.has(name.replace(/^[^.]*/, '*'));
    if (share < MIN_SHARE || isWide(name) || isKnown) return [];
    return `${name} (${Math.round(100 * share)} % of the bytes since yesterday)`;
  });
  return found.length > 0 ? `new host names: ${found.join(', ')}` : undefined;
};

const failedRequests: Cause = async ({ account, store, clock }, user) => {
  const to = Math.ceil(clock.now() / HOUR) * HOUR;
  const ofDay = async (from: number): Promise<{ own: number; most: number } | undefined> => {
    const query = { from, to: from + DAY, by: 'user', limit: ALL_NAMES } as const;
    const { sums, countedMs, errors, sampledErrors } = await store.requestLog.sums(account.name, query);
    // The samples must stand for all errors.
    if (countedMs < MIN_COUNTED_MS || Math.round(sampledErrors) < errors) return undefined;
    const errorsOf = (wanted: string | null) => sums.find(({ name }) => name === wanted)?.errors ?? 0;
    // A user with few errors is not named in its hour.
    return { own: Math.round(errorsOf(user)), most: Math.round(errorsOf(user) + errorsOf(null)) };
  };
  const [now, before] = [await ofDay(to - DAY), await ofDay(to - 2 * DAY)];
  if (!now || !before || now.own < MIN_FAILED || now.own < MIN_GROWTH * before.most) return undefined;
  return `failed requests: about ${now.own} in 24 hours, at most ${before.most} in the 24 hours before`;
};

const newUnknownClients: Cause = async ({ account, store, clock }, user) => {
  const { client_addresses } = account.request_log || {};
  if (!client_addresses) return undefined;
  const found = await store.requestLog.clientsOf(account.name, user);
  const isNew = found && found.firstAt !== null && found.firstAt > clock.now() - NEW_MS;
  return isNew ? `new unknown client addresses: ${found.unknown}` : undefined;
};
