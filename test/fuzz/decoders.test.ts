// Fuzzes the decoders of all resources over real HTTP: any answer is decoded, or rejected as a bad response.

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Secret } from '../../src/lib/secret.ts';
import { HOUR } from '../../src/lib/time.ts';
import type { ProviderClient } from '../../src/provider/client.ts';
import { DOCUMENTED_ANSWERS } from '../../src/provider/documented-answers/documented-answers.ts';
import { ProviderError } from '../../src/provider/errors.ts';
import { readAdjustments } from '../../src/provider/resources/adjustments.ts';
import { readGraph } from '../../src/provider/resources/analytics.ts';
import { readCatalog, readProducts } from '../../src/provider/resources/catalog.ts';
import { readCustomerState, readSummary } from '../../src/provider/resources/customers.ts';
import { readGeolocation, readInventory } from '../../src/provider/resources/inventory.ts';
import { readLedger } from '../../src/provider/resources/ledger.ts';
import { readLogSummaries } from '../../src/provider/resources/log-summaries.ts';
import {
  readAsn,
  readAvailability,
  readCity,
  readContinents,
  readSubdivision,
} from '../../src/provider/resources/places.ts';
import { readProxies, readProxy } from '../../src/provider/resources/proxies.ts';
import { createTestRun } from '../../src/provider/resources/proxy-tests.ts';
import { readProxyUserPassword, readProxyUsers } from '../../src/provider/resources/proxy-users.ts';
import { readQuote } from '../../src/provider/resources/quotes.ts';
import { countLogRows, readLogRows, readRandomLogRows } from '../../src/provider/resources/request-log.ts';
import { readService, readServices } from '../../src/provider/resources/services.ts';
import { connect, type FakeProvider, startFakeProvider } from '../support/fake-provider.ts';
import { cases, FUZZ_TIMEOUT } from '../support/fuzz.ts';
import { answerText } from '../support/fuzzed-answers.ts';
import { readAll } from '../support/simulated-account.ts';

const NOW = Date.parse('2026-07-06T12:00:00Z');
const ZONES = ['UTC', 'Europe/Paris', 'America/St_Johns', 'Pacific/Apia', 'Africa/Monrovia'];

type Read = (client: ProviderClient, timeZone: string) => Promise<unknown>;

const graph = {
  filter: {},
  interval: 'hour',
  from: NOW - 30 * HOUR,
  to: NOW,
  concurrency: true,
  now: () => NOW,
  parameters: { productType: 'network', concurrency: 'concurrency' },
} as const;
const testRun = {
  proxies: [{ proxyString: new Secret('192.0.2.1:80:a:b') }],
  urls: ['https://shop.example/'],
  testerServers: [],
  timeoutMs: 10_000,
  responseTimeUnit: 'seconds',
} as const;
const order = { product: { code: 'isp_gb' }, quantity: 1, cycle: { interval: 'month', count: 1 } } as const;

const LOG_WINDOW = { from: NOW - 3_600_000, to: NOW };
const SIGNAL = new AbortController().signal;

/** By endpoint. */
const READERS: Readonly<Record<string, readonly Read[]>> = {
  'continent/search': [(client) => readAll(readContinents(client))],
  'asn/search': [(client) => readAsn(client, 1)],
  'proxy_user/search': [
    (client) => readAll(readProxyUsers(client, {})),
    async (client) => void (await readProxyUserPassword(client, 'a')),
  ],
  'product/search': [(client) => readAll(readProducts(client, 'mobile'))],
  'customer/retrieve': [(client) => readCustomerState(client, {})],
  'residential/summary': [(client) => readSummary(client, 'residential', {})],
  'mobile/summary': [(client) => readSummary(client, 'mobile', {})],
  'log_summary/search': [(client, timeZone) => readAll(readLogSummaries(client, '2026-07-01', { timeZone }))],
  'service_adjustment/search': [(client, timeZone) => readAll(readAdjustments(client, { timeZone }))],
  'log/search': [
    (client, timeZone) => readAll(readLogRows(client, LOG_WINDOW, { timeZone, signal: SIGNAL })),
    (client, timeZone) => readRandomLogRows(client, LOG_WINDOW, { timeZone, signal: SIGNAL }, 100),
    (client, timeZone) => countLogRows(client, LOG_WINDOW, { timeZone, signal: SIGNAL }),
  ],
  'mobile_ledger/search': [(client, timeZone) => readAll(readLedger(client, 'mobile', { timeZone }))],
  'residential_ledger/search': [
    (client, timeZone) => readAll(readLedger(client, 'residential', { timeZone })),
  ],
  'proxy/search': [
    (client, timeZone) => readAll(readInventory(client, { timeZone })),
    (client) => readAll(readProxies(client, { filter: { country_id: 'fr' } })),
  ],
  'service/search': [(client, timeZone) => readAll(readServices(client, { withProxies: true, timeZone }))],
  'service/retrieve': [(client, timeZone) => readService(client, 'a', { withProxies: true, timeZone })],
  'proxy/retrieve': [(client) => readProxy(client, 'a')],
  'city/retrieve': [(client) => readCity(client, 1)],
  'ip_address/geolocate': [(client) => readGeolocation(client, '192.0.2.1', SIGNAL)],
  'subdivision/retrieve': [(client) => readSubdivision(client, 'a')],
  'residential_availability/count': [(client) => readAvailability(client, 'residential', 'us')],
  'mobile_availability/count': [(client) => readAvailability(client, 'mobile', 'us')],
  'checkout/catalog': [(client) => readCatalog(client)],
  'checkout/quote': [(client) => readQuote(client, order)],
  'analytics/graph': [(client, timeZone) => readGraph(client, { ...graph, timeZone })],
  'proxy_test_run/create': [(client, timeZone) => createTestRun(client, { ...testRun, timeZone })],
};

/** Numbers that may be negative: sums of money, bytes of the ledger and its summaries, degrees, and a total that is not counted. */
const MAY_BE_NEGATIVE =
  /^(?:bytes|requests|\w*LeftBytes|(?:left|bought|used)Bytes|credit|discount|creditBalance|totalAfterCredit|appliedCredit|topUpAmount|unitPrice|total|latitude|longitude|totalCount)$/;
const TIMES = /(?:At|At[A-Z]\w*|periodEnd|^at)$/;
const MAX_TIME = Date.parse('+010000-01-03T00:00:00Z');
const MIN_TIME = Date.parse('-000001-12-30T00:00:00Z');

/** Throws for a number that code behind the decoders does not expect. */
const checkNumbers = (value: unknown, name = ''): void => {
  if (typeof value === 'number') {
    const isTime = TIMES.test(name);
    const min = isTime ? MIN_TIME : MAY_BE_NEGATIVE.test(name) ? -Number.MAX_SAFE_INTEGER : 0;
    const max = isTime ? MAX_TIME : Number.MAX_SAFE_INTEGER;
    expect([name, value, value >= min && value <= max]).toEqual([name, value, true]);
  } else if (Array.isArray(value)) {
    for (const each of value) checkNumbers(each, name);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, each] of Object.entries(value)) checkNumbers(each, key);
  }
};

let provider: FakeProvider;
let client: ProviderClient;
let answer = '';

beforeAll(async () => {
  const headers = { 'content-type': 'application/json' };
  provider = await startFakeProvider(() => {
    // A listing that does not end asks for page after page.
    if (provider.requests.length > 1_000) return { status: 500 };
    return { headers, body: answer };
  });
  client = connect(provider, { requestsPerSecond: 1_000_000 });
});
afterAll(async () => {
  await client[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});

it('there is a reader for every documented answer', () => {
  const missing = Object.keys(DOCUMENTED_ANSWERS).filter((endpoint) => !(endpoint in READERS));
  expect(missing, 'add readers of these endpoints to READERS in test/fuzz/decoders.test.ts').toEqual([]);
  expect(Object.keys(READERS).toSorted()).toEqual(Object.keys(DOCUMENTED_ANSWERS).toSorted());
});

describe.each(Object.entries(READERS))('%s', (endpoint, reads) => {
  const shape = DOCUMENTED_ANSWERS[endpoint];
  if (!shape) return;
  // One id is the requested one, so that the answer is often about the requested item.
  const withId = (text: string): string =>
    text
      .replace(/"(service_id|subdivision_id|proxy_user_id)":"[^"]*"/g, '"$1":"a"')
      .replace(/"(city_id|asn_id)":\d+/g, '"$1":1');

  it(
    'is decoded, or is a bad response',
    async () => {
      await fc.assert(
        fc.asyncProperty(
          answerText(shape),
          fc.boolean(),
          fc.constantFrom(...reads),
          fc.constantFrom(...ZONES),
          async (text, isRequestedId, read, zone) => {
            answer = isRequestedId ? withId(text) : text;
            provider.requests.length = 0;
            const result = await read(client, zone).catch((error: unknown) => error);
            if (result instanceof ProviderError) expect(['bad_response', 'not_found']).toContain(result.kind);
            else if (result instanceof Error) throw result;
            else checkNumbers(result);
            expect(provider.requests.length).toBeLessThan(10);
            expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
          },
        ),
        cases(80),
      );
    },
    FUZZ_TIMEOUT,
  );
});
