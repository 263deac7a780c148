// Serves GET /api/v1/services/summary: services and their proxies by the labels from their metadata.

import { z } from 'zod';
import {
  effectiveStatusOf,
  isSoldByByte,
  proxiesInUse,
  shownServices,
} from '../../collectors/services/effective-status.ts';
import { LabelSums } from '../../lib/label-parts.ts';
import type { StoredService } from '../../store/service-store.ts';
import { account, amount, count } from './item.ts';
import { labelPartsJson, labelPartsOf } from './label-parts.ts';
import * as parameters from './parameters.ts';
import { accountWithCollector, revisionOfParts, route, selectedAccounts } from './route.ts';

const amounts = {
  services: count.describe('Number of services that are not over'),
  bought_proxies: amount,
  proxies_in_use: count.describe('Number of the bought proxies that are in use'),
  uncounted_services: count.describe(
    'Number of services whose proxies are in neither sum, because how many were bought or are in use is unknown. Services that are sold by the byte are not among them',
  ),
};

const partOfServices = z.strictObject(amounts);
type Amounts = Readonly<z.output<typeof partOfServices>>;

const NONE: Amounts = { services: 0, bought_proxies: 0, proxies_in_use: 0, uncounted_services: 0 };

/** How the amounts of services are added up and compared. */
const SERVICES = {
  none: NONE,
  sum: (one: Amounts, other: Amounts): Amounts => ({
    services: one.services + other.services,
    bought_proxies: one.bought_proxies + other.bought_proxies,
    proxies_in_use: one.proxies_in_use + other.proxies_in_use,
    uncounted_services: one.uncounted_services + other.uncounted_services,
  }),
  sizeOf: ({ services }: Amounts): number => services,
};

const amountsOf = (service: StoredService): Amounts => {
  const one = { ...NONE, services: 1 };
  if (isSoldByByte(service)) return one;
  const inUse = proxiesInUse(service);
  return service.quantity === null || inUse === null
    ? { ...one, uncounted_services: 1 }
    : { ...one, bought_proxies: service.quantity, proxies_in_use: Math.min(inUse, service.quantity) };
};

export const groupServices = (services: readonly StoredService[], labels: readonly string[]) => {
  const counted = services.filter((service) => effectiveStatusOf(service) !== 'over');
  return {
    all: counted.map(amountsOf).reduce(SERVICES.sum, NONE),
    labels: labels.map((label) => {
      const sums = new LabelSums(label, SERVICES);
      for (const service of counted) sums.add(amountsOf(service), service.metadata);
      return sums.result();
    }),
  };
};

export const serviceLabels = labelPartsOf(amounts, { subjects: 'Services', most: 'services' }).meta({
  id: 'ServiceLabel',
});

export const serviceSummary = z
  .strictObject({
    data: z.array(partOfServices.extend({ account }).meta({ id: 'AccountServices' })),
    labels: z
      .array(serviceLabels)
      .describe(
        'Services by each label of `services.labels_from_metadata`. The parts of a label add up to the services of the account',
      ),
  })
  .meta({ id: 'ServiceSummary' });

export const SERVICE_SUMMARY_ROUTE = route({
  path: '/api/v1/services/summary',
  collector: 'services',
  summary: 'Number of services that are not over, and of their proxies, by label',
  query: { account: parameters.account },
  answer: serviceSummary,
  revision: revisionOfParts(['services']),
  read: async ({ view, query }) => {
    const grouped = [];
    for (const name of selectedAccounts(query.account, view)) {
      const found = accountWithCollector(view, name, 'services');
      if (!found) continue;
      const { settings: account, serviceOptions: options, store } = found;
      const shown = await shownServices({ account, options, store });
      grouped.push({ name, ...groupServices(shown, options.labels_from_metadata) });
    }
    return {
      data: grouped.map(({ name, all }) => ({ account: name, ...all })),
      labels: grouped.flatMap(({ name, labels }) =>
        labels.map((each) => labelPartsJson(name, each, (amounts) => amounts)),
      ),
    };
  },
});
