// The smallest question to each endpoint: a page at most, and nothing that costs.

import { orderOf } from '../../collectors/quotes/options.ts';
import { readCustomer } from '../../provider/customer.ts';
import type { Page } from '../../provider/pages.ts';
import { readAsn } from '../../provider/resources/asns.ts';
import { readCatalog } from '../../provider/resources/catalog.ts';
import { readCity } from '../../provider/resources/cities.ts';
import { readContinents } from '../../provider/resources/continents.ts';
import { readProxies } from '../../provider/resources/proxies.ts';
import { readQuote } from '../../provider/resources/quotes.ts';
import { readLedger } from '../../provider/resources/residential-ledger.ts';
import { readService } from '../../provider/resources/services.ts';
import { readSubdivision } from '../../provider/resources/subdivisions.ts';
import { readPast } from './minutes.ts';
import type { Visit } from './visit.ts';

/** Asks nothing where nothing is configured or known to ask for. Rejects with ProviderError. */
type Question = (visit: Visit, signal: AbortSignal) => Promise<unknown> | undefined;

/** By endpoint, all that collectors call; null for the one that is not asked, since each call costs. */
export const QUESTIONS: Readonly<Record<string, Question | null>> = {
  'proxy_user/search': async ({ client, notes }, signal) => {
    notes.customerId = await readCustomer(client, signal);
  },
  'analytics/graph': (visit, signal) => (visit.account.traffic ? readPast(visit, signal) : undefined),
  'residential_ledger/search': ({ account, client, notes }, signal) =>
    firstPage(readLedger(client, { timeZone: account.time_zone, signal }), ({ items }) => {
      notes.serviceId ??= items.find(({ serviceId }) => serviceId)?.serviceId;
    }),
  'proxy/search': ({ client, notes }, signal) =>
    firstPage(readProxies(client, { signal }), ({ items }) => {
      notes.serviceId ??= items.find(({ serviceId }) => serviceId)?.serviceId;
    }),
  'service/retrieve': ({ account, client, notes }, signal) => {
    const id = configuredService(account) ?? notes.serviceId;
    return id
      ? readService(client, id, { withProxies: false, timeZone: account.time_zone, signal })
      : undefined;
  },
  'proxy_test_run/create': null,
  'checkout/catalog': ({ client }, signal) => readCatalog(client, { signal }),
  'checkout/quote': ({ account: { quotes }, client }, signal) => {
    const [item] = quotes === false ? [] : quotes.items;
    return item && readQuote(client, orderOf(item), { signal });
  },
  'continent/search': ({ account: { geography }, client }, signal) =>
    geography !== false && geography.continents ? firstPage(readContinents(client, { signal })) : undefined,
  'asn/search': ({ account: { geography }, client }, signal) => {
    const [id] = geography === false ? [] : geography.asns;
    return id === undefined ? undefined : readAsn(client, id, { signal });
  },
  'city/retrieve': ({ account: { geography }, client }, signal) => {
    const [id] = geography === false ? [] : geography.cities;
    return id === undefined ? undefined : readCity(client, id, { signal });
  },
  'subdivision/retrieve': ({ account: { geography }, client }, signal) => {
    const [id] = geography === false ? [] : geography.subdivisions;
    return id === undefined ? undefined : readSubdivision(client, id, { signal });
  },
};

const firstPage = async <T>(
  pages: AsyncGenerator<Page<T>>,
  look: (page: Page<T>) => void = () => {},
): Promise<void> => {
  for await (const page of pages) return look(page);
};

const configuredService = ({ services, proxy_tests }: Visit['account']): string | undefined => {
  const watched = services === false ? [] : services.ids;
  const tested = proxy_tests === false ? [] : proxy_tests.proxies;
  return [...watched, ...tested.flatMap((entry) => ('service_id' in entry ? entry.service_id : []))][0];
};
