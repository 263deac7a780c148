// Purchased services, from service/retrieve: what was bought, until when, and the proxies that came of it.

import { ProviderError } from '../../provider/errors.ts';
import { readService, type ServiceAnswer } from '../../provider/resources/services.ts';
import type { ServiceObservation, StoredLineItem } from '../../store/service-store.ts';
import type { Store } from '../../store/store.ts';
import type { Collector, Outcome } from '../collector.ts';
import type { AccountSettings, RunContext } from '../context.ts';
import { slotsPerDay } from '../cost.ts';
import { checkCustomer } from '../customer.ts';
import { collectParts } from '../parts/collect-parts.ts';
import { PartStates } from '../parts/part-states.ts';
import { exposeServices, families } from './expose.ts';
import { type ServiceOptions, serviceOptions } from './options.ts';
import { dueServices, MAX_SERVICES, type ServiceTurn } from './selection.ts';

const ENDPOINT = 'service/retrieve';
const PARALLEL = 2;
/** For the estimate of costs: how many there are is known once they are found. */
const ASSUMED_SERVICES = 10;
const SERIES_PER_SERVICE = 17;

export const services: Collector<ServiceOptions, PartStates> = {
  name: 'services',
  endpoints: [ENDPOINT],
  families: Object.values(families),
  options: serviceOptions,
  after: ['residential_ledger', 'inventory'],
  open: async () => new PartStates(),
  cost: ({ schedule, ids, discover }, zone, now) => {
    const count = ids.length + (discover ? ASSUMED_SERVICES : 0);
    return {
      requestsPerDay: slotsPerDay(schedule, zone, now) * count,
      series: count * SERIES_PER_SERVICE,
      assumptions: discover
        ? [
            `${ASSUMED_SERVICES} services found; each costs a request a poll, and ${MAX_SERVICES} are the most`,
          ]
        : [],
      warnings: [],
    };
  },
  collect,
  hasData,
  expose: exposeServices,
};

/** Without a known service, "there are none" rests on the listings that would name them. */
async function hasData({ name, collectors }: AccountSettings, store: Store): Promise<boolean> {
  if ((await store.services.attempts(name)).length > 0) return true;
  const listings = await Promise.all([
    collectors.includes('residential_ledger')
      ? store.ledger.summary(name).then(({ listing }) => listing)
      : [],
    collectors.includes('inventory') ? store.inventory.listing(name) : [],
  ]);
  const used = listings.flat();
  return used.length > 0 && used.every(({ completeAt }) => completeAt !== null);
}

async function collect(context: RunContext<ServiceOptions>, states: PartStates): Promise<Outcome> {
  const { account, clock, options, progress, store } = context;
  const { name } = account;
  const named = options.discover ? await store.services.named(name, MAX_SERVICES) : [];
  const due = dueServices(options, named, await store.services.attempts(name), clock.now());
  let done = 0;
  const parts = due.map((turn) => ({
    name: turn.id,
    endpoint: ENDPOINT,
    collect: async () => {
      const skipped = await ask(context, turn);
      done += 1;
      progress({ done, total: due.length, unit: 'services' });
      return skipped;
    },
  }));
  // One that was deleted is no failure that passes by waiting.
  return collectParts(context, states, { parts, limit: PARALLEL, answer: 'not_found' });
}

/** Stores what the provider says of a service; returns its items that were not understood. */
async function ask(context: RunContext<ServiceOptions>, { id, isExpected }: ServiceTurn): Promise<number> {
  const { account, client, clock, signal, store } = context;
  const query = { withProxies: true, timeZone: account.time_zone, signal };
  try {
    const answer = await readService(client, id, query);
    await checkCustomer(
      context,
      ENDPOINT,
      answer.proxies.flatMap(({ customerId }) => customerId ?? []),
    );
    await store.services.save(account.name, toSighting(id, answer), clock.now());
    return answer.skipped + answer.skippedLineItems;
  } catch (error) {
    if (!(error instanceof ProviderError) || error.kind !== 'not_found') throw error;
    await store.services.saveNotFound(account.name, id, clock.now());
    // The ledger names services of all times: one that was never there for us, or is gone, is no failure.
    if (isExpected) throw error;
    return 0;
  }
}

const toSighting = (
  id: string,
  { service, lineItems, proxies, areProxiesWhole }: ServiceAnswer,
): ServiceObservation => ({
  id,
  name: service.name,
  productType: service.type,
  protocol: service.protocol,
  status: service.status,
  countryId: service.countryId,
  cycle: service.cycle,
  quantity: service.quantity,
  price: service.price,
  isPaused: service.isPaused,
  createdAt: service.createdAt,
  updatedAt: service.updatedAt,
  dispatchedAt: service.dispatchedAt,
  isReconfigurable: service.isReconfigurable,
  promotionalCode: service.promotionalCode,
  subscriptionId: service.subscriptionId,
  subscriptionScheduleId: service.subscriptionScheduleId,
  isPendingCancellation: service.isPendingCancellation,
  isAutomaticCollection: service.isAutomaticCollection,
  hasOpenInvoice: service.hasOpenInvoice,
  hasPaymentMethod: service.hasPaymentMethod,
  expiresAt: service.expiresAt,
  earliestCancellationAt: service.earliestCancellationAt,
  lineItems: byLocation(lineItems),
  // Without those that did not decode it would be too few of some status.
  proxies: areProxiesWhole ? countBy(proxies, ({ status }) => status ?? '') : null,
});

/** Each once: without an id, several may be of one country. */
const byLocation = (lineItems: ServiceAnswer['lineItems']): StoredLineItem[] =>
  [
    ...Map.groupBy(lineItems, ({ id, countryId }) => JSON.stringify([id ?? '', countryId ?? ''])).values(),
  ].map((items) => ({
    id: items[0]?.id ?? '',
    countryId: items[0]?.countryId ?? '',
    quantity: items.reduce((sum, { quantity }) => sum + quantity, 0),
  }));

const countBy = <T>(items: readonly T[], keyOf: (item: T) => string): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(items, keyOf)].map(([key, group]) => [key, group.length]));
