// Collects purchased services from service/retrieve: their order, their expiry and their proxies.

import { METERED_TYPES } from '../../lib/product-types.ts';
import { ProviderError } from '../../provider/errors.ts';
import { PER_PAGE } from '../../provider/page-request.ts';
import {
  readService,
  readServices,
  SERVICE_ENDPOINT,
  SERVICES_ENDPOINT,
  type ServiceAnswer,
} from '../../provider/resources/services.ts';
import type { ServiceObservation, StoredLineItem } from '../../store/service-store.ts';
import type { Store } from '../../store/store.ts';
import {
  adviseOnAbsence,
  type Collector,
  type FailedPart,
  type Outcome,
  slotsPerDay,
  textIf,
} from '../collector.ts';
import type { AccountSettings, RunContext } from '../context.ts';
import { checkCustomer, OtherCustomerError, verifyCustomer } from '../customer.ts';
import { readListing } from '../listings/listing.ts';
import { metadataLabelMistakes } from '../metadata-labels.ts';
import { PartStates } from '../parts/part-states.ts';
import { collectParts, isPartError } from '../parts/parts-run.ts';
import { exposeServices, families } from './expose.ts';
import {
  type DueService,
  dueServices,
  MAX_SERVICES,
  type ServiceOptions,
  serviceOptions,
} from './selection.ts';

const IN_FLIGHT = 2;
/** The number of discovered services for the estimate of costs. The real number is known only after a run. */
const ASSUMED_SERVICES = 10;
const SERIES_PER_SERVICE = 18;

export const services: Collector<ServiceOptions, PartStates> = {
  name: 'services',
  description: 'Purchased services',
  endpoints: [SERVICE_ENDPOINT, SERVICES_ENDPOINT],
  offEndpoints: ({ search }) => (search ? [] : [SERVICES_ENDPOINT]),
  families: Object.values(families),
  options: serviceOptions,
  after: ['residential_ledger', 'mobile_ledger', 'inventory'],
  mistakes: ({ labels_from_metadata }) =>
    metadataLabelMistakes(labels_from_metadata, families.proxywatch_service_info),
  open: async () => new PartStates(),
  cost: ({ schedule, ids, discover, search }, zone, now) => {
    const count = ids.length + (discover ? ASSUMED_SERVICES : 0);
    return {
      requestsPerDay: slotsPerDay(schedule, zone, now) * (search ? Math.ceil(count / PER_PAGE) : count),
      series: count * SERIES_PER_SERVICE,
      assumptions: textIf(
        discover,
        `proxywatch finds ${ASSUMED_SERVICES} services; ${search ? `each ${PER_PAGE} cost one request per poll` : `each service costs one request per poll, up to ${MAX_SERVICES.toLocaleString('en')} services`}`,
      ),
      warnings: [],
    };
  },
  collect,
  hasData,
  expose: exposeServices,
};

/** Without a known service, "no services" is only certain after complete listings that would name services. */
async function hasData({ name, collectors }: AccountSettings, store: Store): Promise<boolean> {
  if ((await store.services.attempts(name)).length > 0) return true;
  const listings = await Promise.all([
    ...METERED_TYPES.map((type) =>
      collectors.includes(`${type}_ledger`)
        ? store.ledgers[type].summary(name).then(({ listing }) => listing)
        : [],
    ),
    collectors.includes('inventory') ? store.inventory.listing(name) : [],
  ]);
  const polledListings = listings.flat();
  return polledListings.length > 0 && polledListings.every(({ completeAt }) => completeAt !== null);
}

async function collect(context: RunContext<ServiceOptions>, states: PartStates): Promise<Outcome> {
  const { account, clock, options, progress, store } = context;
  const { name } = account;
  const listed = options.search ? await collectListing(context) : NOT_LISTED;
  const referencedIds = options.discover ? await store.services.referencedIds(name, MAX_SERVICES) : [];
  const attempts = await store.services.attempts(name);
  const due = dueServices(options, { referencedIds, attempts, listedIds: listed.ids }, clock.now());
  let done = 0;
  const parts = due.map((service) => ({
    name: service.id,
    endpoint: SERVICE_ENDPOINT,
    collect: async () => {
      const skipped = await collectService(context, service);
      done += 1;
      progress({ done, total: due.length, unit: 'services' });
      return skipped;
    },
  }));
  // Waiting does not help with a deleted service, so `not_found` is an answer.
  const request = { parts, limit: IN_FLIGHT, answerErrorKind: 'not_found' } as const;
  const outcome = await collectParts(context, states, request).catch((error) => {
    if (listed.ids.size === 0 || !isPartError(error, context.signal)) throw error;
    // The services of the listing are known.
    const failedParts = [{ part: 'services that the listing lacks', error }];
    return { skipped: 0, failedParts, isSuccessDespiteFailures: true };
  });
  const failedParts = [...listed.failedParts, ...outcome.failedParts];
  return { ...outcome, skipped: listed.skipped + outcome.skipped, failedParts };
}

const NOT_LISTED = { ids: new Set<string>(), skipped: 0, failedParts: [] as readonly FailedPart[] };

/** Stores all services of the listing. If it fails, all are requested one by one. `ids` are in small letters. */
const collectListing = async (context: RunContext<ServiceOptions>): Promise<typeof NOT_LISTED> => {
  const { client, options, signal } = context;
  const configured = new Map(options.ids.map((id) => [id.toLowerCase(), id]));
  const ids = new Set<string>();
  let skipped = 0;
  const save = async (answer: ServiceAnswer): Promise<void> => {
    const [id, key] = [answer.id, answer.id.toLowerCase()];
    if (!options.discover && !configured.has(key)) return;
    // A service without its proxies is requested alone, because its numbers of proxies would be old.
    if (!answer.areAllProxiesValid) return;
    await saveService(context, configured.get(key) ?? id, answer);
    skipped += answer.skippedLineItems;
    ids.add(key);
  };
  try {
    // A service without proxies does not name its customer.
    await verifyCustomer(context);
    const { outcome } = await readListing(
      context,
      { endpoint: SERVICES_ENDPOINT, unit: 'services' },
      (progress) => readServices(client, { ...queryOf(context), progress }),
      async (answers) => {
        await verifyCustomer(context);
        for (const answer of answers) await save(answer);
      },
    ).catch(adviseOnAbsence('set services.search to false'));
    return { ids, skipped: skipped + outcome.skipped, failedParts: outcome.failedParts };
  } catch (error) {
    const isOfListing = error instanceof ProviderError && !(error instanceof OtherCustomerError);
    if (!isOfListing || signal.aborted) throw error;
    return { ids, skipped, failedParts: [{ part: 'listing', error }] };
  }
};

const queryOf = ({ account, options, signal }: RunContext<ServiceOptions>) => ({
  ...{ withProxies: true, timeZone: account.time_zone, metadataKeys: options.labels_from_metadata, signal },
});

/** Stores the provider's answer about a service. Returns the number of its items that did not decode. */
async function collectService(
  context: RunContext<ServiceOptions>,
  { id, isExpected }: DueService,
): Promise<number> {
  const { account, client, clock, store } = context;
  try {
    const answer = await readService(client, id, queryOf(context));
    await saveService(context, id, answer);
    return answer.skipped + answer.skippedLineItems;
  } catch (error) {
    if (!(error instanceof ProviderError) || error.kind !== 'not_found') throw error;
    await store.services.saveNotFound(account.name, id, clock.now());
    // The ledger names services of all times, so a missing service is no failure unless it is expected to exist.
    if (isExpected) throw error;
    return 0;
  }
}

const saveService = async (
  context: RunContext<ServiceOptions>,
  id: string,
  answer: ServiceAnswer,
): Promise<void> => {
  const customerIds = answer.proxies.flatMap(({ customerId }) => customerId ?? []);
  await checkCustomer(context, SERVICE_ENDPOINT, customerIds);
  await context.store.services.save(context.account.name, toObservation(id, answer), context.clock.now());
};

const toObservation = (
  id: string,
  { service: { type, ...service }, metadata, lineItems, proxies, areAllProxiesValid }: ServiceAnswer,
): ServiceObservation => ({
  ...service,
  id,
  productType: type,
  lineItems: byLocation(lineItems),
  metadata: metadata ?? null,
  // If some proxies did not decode, the counts would be too low.
  proxies: areAllProxiesValid ? countBy(proxies, ({ status }) => status ?? '') : null,
});

/** Merges line items with the same id and country. Several items without an id may have the same country. */
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
