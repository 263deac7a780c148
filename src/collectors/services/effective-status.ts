// Derives the effective status of a service from the provider's last answer, for metrics and alerts. It has no side effects.

import { METERED_TYPES } from '../../lib/product-types.ts';
import { DAY } from '../../lib/time.ts';
import { NOT_FOUND_ANSWERS_UNTIL_REMOVED, type StoredService } from '../../store/service-store.ts';
import type { ReadContext } from '../context.ts';
import { isInUse } from '../proxy-info.ts';
import type { ServiceOptions } from './selection.ts';

/** `over`: the service ended as agreed, or so long ago that nobody needs an alert. */
export const FOUND_STATUSES = ['active', 'awaiting', 'paused', 'not_active', 'over', 'unknown'] as const;
type FoundStatus = (typeof FOUND_STATUSES)[number];

/** `gone`: the service is configured, and the provider does not find it. */
export type EffectiveStatus = FoundStatus | 'gone';

/** How long after the end of its cycle a service is worth an alert: a canceled one, and another one, such as overdue. */
const CANCELED_ALERT_MS = 7 * DAY;
const OTHER_ALERT_MS = 30 * DAY;

/**
 * Returns the effective status. The provider's set of statuses is open. An unknown status counts as not active, because
 * a service that is lost without notice costs more than a needless alert. `complete` is the agreed end. A canceled
 * service without a known expiry may have ended in any year, because the ledger names services of all times.
 */
export const effectiveStatusOf = (service: StoredService): FoundStatus => {
  const { status, isPaused } = service;
  if (status === 'complete' || endedLongAgo(service)) return 'over';
  if (status === 'paused') return 'paused';
  if (status?.startsWith('awaiting_')) return isPaused ? 'paused' : 'awaiting';
  if (status !== null && status !== 'active') return 'not_active';
  if (isPaused) return 'paused';
  return status ?? 'unknown';
};

const endedLongAgo = ({ status, expiresAt, answeredAt }: StoredService): boolean => {
  if (status === 'canceled') return expiresAt === null || expiresAt < answeredAt - CANCELED_ALERT_MS;
  return status !== 'active' && expiresAt !== null && expiresAt < answeredAt - OTHER_ALERT_MS;
};

/** How long an expired service is reported by its expiry. After that only its status can be reported. */
export const EXPIRED_REPORTED_MS = 7 * DAY;

/** Whether a service has ended, or does not work for another reason. */
export const hasEnded = (service: StoredService): boolean => ENDED.includes(effectiveStatusOf(service));

export const ENDED: readonly EffectiveStatus[] = ['not_active', 'over'];

/** Whether a service expires within this time of the last answer (ms), and nothing renews it. */
export const isExpiring = (service: StoredService, withinMs: number): boolean => {
  const { expiresAt, answeredAt, isAutomaticCollection, hasOpenInvoice } = service;
  if (expiresAt === null || hasEnded(service)) return false;
  const leftMs = expiresAt - answeredAt;
  const isDue = leftMs < withinMs && leftMs > -EXPIRED_REPORTED_MS;
  return isDue && (isAutomaticCollection === false || hasOpenInvoice);
};

/**
 * Whether the store credit certainly has to pay another cycle of the service within this time after `from` (ms): no payment
 * method of the service can pay what the credit does not cover. An unknown value is no certainty. The price may be unknown.
 */
export const isRenewedByCredit = (service: StoredService, from: number, withinMs: number): boolean => {
  const { expiresAt, isAutomaticCollection, isPendingCancellation, hasPaymentMethod } = service;
  // A renewal before `from` was already paid from the credit.
  const isDue = expiresAt !== null && expiresAt > from && expiresAt - from < withinMs;
  const isAutomatic = isAutomaticCollection === true && isPendingCancellation === false;
  return isDue && isAutomatic && hasPaymentMethod === false && effectiveStatusOf(service) === 'active';
};

/** Whether a service is sold by the proxy. Of a type that proxywatch does not know, this is known once it has proxies. */
export const isSoldByProxy = ({
  productType,
  proxies,
}: Pick<StoredService, 'productType' | 'proxies'>): boolean =>
  TYPES_SOLD_BY_PROXY.has(productType ?? '') ||
  (Object.keys(proxies ?? {}).length > 0 && !isSoldByByte({ productType }));

export const isSoldByByte = ({ productType }: Pick<StoredService, 'productType'>): boolean =>
  METERED_TYPES.some((type) => type === productType);

const TYPES_SOLD_BY_PROXY: ReadonlySet<string> = new Set(['datacenter', 'isp']);

/** Counts the proxies in use; null if that is unknown, or if the service is sold by the byte. */
export const proxiesInUse = ({ productType, proxies }: StoredService): number | null => {
  if (!proxies || !isSoldByProxy({ productType, proxies })) return null;
  const inUse = Object.entries(proxies).filter(([status]) => isInUse(status));
  return inUse.reduce((sum, [, count]) => sum + count, 0);
};

/** Counts proxies that were bought and are not in use; null if that is unknown, or if the service is sold by the byte. */
export const missingProxies = (service: StoredService): number | null => {
  const inUse = proxiesInUse(service);
  return inUse === null || service.quantity === null ? null : Math.max(0, service.quantity - inUse);
};

export const lacksProxies = (service: StoredService, threshold: number): boolean =>
  (missingProxies(service) ?? 0) > threshold && effectiveStatusOf(service) === 'active';

/** Returns the services that are shown. Without `discover`, these are only the configured ones. */
export const shownServices = async ({
  account,
  options: { ids, discover },
  store,
}: Omit<ReadContext<ServiceOptions>, 'clock'>): Promise<StoredService[]> =>
  (await store.services.services(account.name)).filter(({ id }) => discover || ids.includes(id));

/** Returns the ids of configured services that the provider no longer finds, or never found. */
export const removedServices = async ({
  account,
  options: { ids },
  store,
}: ReadContext<ServiceOptions>): Promise<string[]> =>
  (await store.services.attempts(account.name))
    .filter(
      ({ id, notFoundAnswers }) => notFoundAnswers >= NOT_FOUND_ANSWERS_UNTIL_REMOVED && ids.includes(id),
    )
    .map(({ id }) => id);
