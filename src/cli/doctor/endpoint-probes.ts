// Defines the smallest request to each endpoint: at most one page, and nothing that costs money.

import { orderOf } from '../../collectors/quotes/options.ts';
import { areAnonymous } from '../../collectors/request-log/client-addresses.ts';
import type { MeteredType } from '../../lib/product-types.ts';
import { HOUR, MINUTE } from '../../lib/time.ts';
import { mayBeAbsent, ProviderError } from '../../provider/errors.ts';
import type { Page } from '../../provider/pages.ts';
import { readAdjustments } from '../../provider/resources/adjustments.ts';
import { readCatalog } from '../../provider/resources/catalog.ts';
import { readCustomerState, readSummary } from '../../provider/resources/customers.ts';
import { readGeolocation } from '../../provider/resources/inventory.ts';
import { localDate, readLedger } from '../../provider/resources/ledger.ts';
import { readLogSummaries } from '../../provider/resources/log-summaries.ts';
import {
  readAsn,
  readAvailability,
  readCity,
  readContinents,
  readSubdivision,
} from '../../provider/resources/places.ts';
import { readProxies } from '../../provider/resources/proxies.ts';
import { readCustomer } from '../../provider/resources/proxy-users.ts';
import { readQuote } from '../../provider/resources/quotes.ts';
import { countLogRows, readRandomLogRows } from '../../provider/resources/request-log.ts';
import { readService, readServices } from '../../provider/resources/services.ts';
import type { AccountSession } from './account-session.ts';
import { readRecentMinutes } from './traffic-minutes.ts';

/** Sends no request and returns undefined if there is no configured or known item to ask for. Rejects with ProviderError. */
type Probe = (session: AccountSession, signal: AbortSignal) => Promise<unknown> | undefined;

const MANY_ROWS = 100;

/** Has a probe for every endpoint that collectors call; null for the one that is not probed, because each call costs. */
export const ENDPOINT_PROBES: Readonly<Record<string, Probe | null>> = {
  'proxy_user/search': async ({ client, observations }, signal) => {
    observations.customerId = await readCustomer(client, signal);
  },
  'analytics/graph': (session, signal) =>
    session.account.traffic ? readRecentMinutes(session, signal) : undefined,
  'residential_ledger/search': ledgerProbe('residential'),
  'mobile_ledger/search': ledgerProbe('mobile'),
  'log_summary/search': ({ account: { time_zone: timeZone }, client }, signal) =>
    firstPage(readLogSummaries(client, localDate(Date.now(), timeZone), { timeZone, signal })),
  'service_adjustment/search': ({ account: { time_zone: timeZone }, client }, signal) =>
    firstPage(readAdjustments(client, { timeZone, signal })),
  'log/search': async ({ account: { time_zone: timeZone, request_log }, client }, signal) => {
    const to = Math.floor(Date.now() / MINUTE) * MINUTE;
    const [window, options] = [
      { from: to - HOUR, to },
      { timeZone, signal, withClients: true },
    ];
    const { client_addresses } = request_log || {};
    if (!client_addresses) return countLogRows(client, window, options);
    const rows = await readRandomLogRows(client, window, options, MANY_ROWS);
    if (rows.length > 0 && areAnonymous(rows))
      throw new ProviderError('bad_response', 'log/search', 'the log gives no addresses of clients');
    return rows;
  },
  'customer/retrieve': ({ client }, signal) => readCustomerState(client, { signal }),
  'residential/summary': summaryProbe('residential'),
  'mobile/summary': summaryProbe('mobile'),
  'proxy/search': ({ client, observations }, signal) =>
    firstPage(readProxies(client, { signal }), ({ items }) => {
      observations.address = items.find(({ address }) => address)?.address;
      observations.serviceId ??= items.find(({ serviceId }) => serviceId)?.serviceId;
    }),
  'ip_address/geolocate': ({ client, observations: { address } }, signal) =>
    address ? readGeolocation(client, address, signal) : undefined,
  'service/retrieve': ({ account, client, observations }, signal) => {
    const id = configuredService(account) ?? observations.serviceId;
    return id
      ? readService(client, id, { withProxies: false, timeZone: account.time_zone, signal })
      : undefined;
  },
  'service/search': ({ account: { time_zone: timeZone }, client }, signal) =>
    firstPage(readServices(client, { withProxies: false, timeZone, signal })),
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
  'residential_availability/count': availabilityProbe('residential'),
  'mobile_availability/count': availabilityProbe('mobile'),
};

const firstPage = async <T>(
  pages: AsyncGenerator<Page<T>>,
  read: (page: Page<T>) => void = () => {},
): Promise<void> => {
  for await (const page of pages) return read(page);
};

function ledgerProbe(type: MeteredType): Probe {
  return ({ account, client, observations }, signal) =>
    firstPage(readLedger(client, type, { timeZone: account.time_zone, signal }), ({ items }) => {
      observations.serviceId ??= items.find(({ serviceId }) => serviceId)?.serviceId;
    });
}

function availabilityProbe(type: MeteredType): Probe {
  return ({ account: { geography }, client }, signal) => {
    const [id] = geography === false ? [] : geography.availability[type];
    return id === undefined ? undefined : readAvailability(client, type, id, { signal });
  };
}

/** A refusal is what an account without such services gets. */
function summaryProbe(type: MeteredType): Probe {
  return ({ client }, signal) =>
    readSummary(client, type, { signal }).catch((error) => {
      if (!(error instanceof ProviderError) || !mayBeAbsent(error)) throw error;
    });
}

const configuredService = ({ services, proxy_tests }: AccountSession['account']): string | undefined => {
  const watched = services === false ? [] : services.ids;
  const tested = proxy_tests === false ? [] : proxy_tests.proxies;
  return [...watched, ...tested.flatMap((entry) => ('service_id' in entry ? entry.service_id : []))][0];
};
