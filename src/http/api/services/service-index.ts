// Defines what services are searched, filtered and sorted by.

import {
  type EffectiveStatus,
  effectiveStatusOf,
  isExpiring,
} from '../../../collectors/services/effective-status.ts';
import { DAY, SECOND } from '../../../lib/time.ts';
import type { StoredService } from '../../../store/service-store.ts';
import type { DaemonView } from '../../daemon-view.ts';
import type { IndexSource } from '../lists/indexed-list.ts';
import type { ColumnsOf } from '../lists/list-index.ts';
import { byNumbers, byWords } from '../lists/sort.ts';
import { accountWithCollector } from '../route.ts';

export interface IndexedService extends StoredService {
  /** The most urgent state is the lowest. */
  readonly urgency: number;
}

export const serviceColumns: ColumnsOf<IndexedService> = {
  words: {
    name: ({ name }) => name,
    status: ({ status }) => status,
    productType: ({ productType }) => productType,
    countryId: ({ countryId }) => countryId,
  },
  numbers: {
    urgency: ({ urgency }) => urgency,
    expiresAt: ({ expiresAt }) => expiresAt,
    price: ({ price }) => price,
  },
};

export const SERVICE_SORTS = {
  state: byNumbers('urgency'),
  service_name: byWords('name'),
  status: byWords('status'),
  product_type: byWords('productType'),
  expires_at: byNumbers('expiresAt'),
  price: byNumbers('price'),
} as const;

/** A service is about to expire within this time (ms), unless the alert has another threshold. */
const EXPIRING_MS = 7 * DAY;

export const serviceSource = async (
  view: DaemonView,
  account: string,
): Promise<IndexSource<IndexedService> | undefined> => {
  const found = accountWithCollector(view, account, 'services');
  if (!found) return undefined;
  const { ServiceExpiringSoon: threshold } = found.settings.thresholds;
  const withinMs = threshold === undefined ? EXPIRING_MS : threshold * SECOND;
  return {
    revision: view.revision(['services']),
    pages: async function* () {
      const services = await found.store.services.services(account);
      yield services.map((service) => ({ ...service, urgency: urgencyOf(service, withinMs) }));
    },
  };
};

const RANKS: Readonly<Record<EffectiveStatus, number>> = {
  not_active: 0,
  gone: 0,
  // 1 is a service that expires soon.
  paused: 2,
  unknown: 3,
  // 4 is a service that will end because of a pending cancellation.
  awaiting: 5,
  active: 5,
  over: 6,
};

const urgencyOf = (service: StoredService, withinMs: number): number => {
  if (isExpiring(service, withinMs)) return 1;
  const rank = RANKS[effectiveStatusOf(service)];
  return service.isPendingCancellation && rank === RANKS.active ? 4 : rank;
};
