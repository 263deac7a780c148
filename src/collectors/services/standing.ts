// How a service stands, for metrics and alerts alike: pure, of what the provider last answered.

import { METERED_TYPES } from '../../lib/product-types.ts';
import { DAY } from '../../lib/time.ts';
import { NOT_FOUND_WHEN_GONE, type StoredService } from '../../store/service-store.ts';
import type { ReadContext } from '../context.ts';
import { isInUse } from '../proxy-status.ts';
import type { ServiceOptions } from './options.ts';

/** `over` is what ended as it had to, or so long ago that it is no news; `gone` is what is configured and not there. */
export type Standing = 'active' | 'awaiting' | 'paused' | 'not_active' | 'over' | 'gone' | 'unknown';

/** How long after the end of its cycle a canceled service is news, and one that stands otherwise, such as overdue. */
const CANCELED_NEWS_MS = 7 * DAY;
const OTHER_NEWS_MS = 30 * DAY;

/**
 * The set of statuses is open: one that nobody has heard of is not active, for a service that is lost in silence costs
 * more than a word too many. `complete` is the end that was agreed on. A canceled service whose expiry is not known may
 * be of any year, since the ledger names those of all times.
 */
export const standingOf = (service: StoredService): Standing => {
  const { status, isPaused } = service;
  if (status === 'complete' || isOldNews(service)) return 'over';
  if (status === 'paused') return 'paused';
  if (status?.startsWith('awaiting_')) return isPaused ? 'paused' : 'awaiting';
  if (status !== null && status !== 'active') return 'not_active';
  if (isPaused) return 'paused';
  return status ?? 'unknown';
};

const isOldNews = ({ status, expiresAt, answeredAt }: StoredService): boolean => {
  if (status === 'canceled') return expiresAt === null || expiresAt < answeredAt - CANCELED_NEWS_MS;
  return status !== 'active' && expiresAt !== null && expiresAt < answeredAt - OTHER_NEWS_MS;
};

/** Proxies bought and not in use; null where that is not known, or they are sold by the byte. */
export const missingProxies = ({ productType, quantity, proxies }: StoredService): number | null => {
  if (!proxies || quantity === null || METERED_TYPES.some((type) => type === productType)) return null;
  const inUse = Object.entries(proxies).filter(([status]) => isInUse(status));
  return Math.max(
    0,
    inUse.reduce((left, [, count]) => left - count, quantity),
  );
};

/** The services that are shown: a configuration that looks for none shows those alone that it names. */
export const shownServices = async ({
  account,
  options: { ids, discover },
  store,
}: ReadContext<ServiceOptions>): Promise<StoredService[]> =>
  (await store.services.services(account.name)).filter(({ id }) => discover || ids.includes(id));

/** Services of the configuration that are not there any more, or never were. */
export const goneServices = async ({
  account,
  options: { ids },
  store,
}: ReadContext<ServiceOptions>): Promise<string[]> =>
  (await store.services.attempts(account.name))
    .filter(({ id, notFound }) => notFound >= NOT_FOUND_WHEN_GONE && ids.includes(id))
    .map(({ id }) => id);
