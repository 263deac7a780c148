// Fuzzes GET /probe over real HTTP: no query, header or method makes the daemon connect to what is not configured.

import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createView } from '../../src/daemon/http-view.ts';
import { type HttpServer, startHttpServer } from '../../src/http/server.ts';
import { silentLog } from '../../src/lib/log.ts';
import { exchange, HOST, statusesIn } from '../http/raw-client.ts';
import { answers, FakeProxy } from '../prober/fake-proxy.ts';
import { cases, FUZZ_TIMEOUT } from '../support/fuzz.ts';
import { anyText } from '../support/fuzzed-text.ts';
import { Harness } from '../support/harness.ts';

const OPENED = 'HTTP/1.1 200 OK\r\n\r\n';
const NAMES = ['one', 'two'] as const;
const URLS = [
  { name: 'check', url: 'https://check.example/', depth: 'tunnel' },
  { name: 'shop', url: 'https://shop.example/', depth: 'tunnel' },
];
/** A request that is not for a configured probe is refused in one of these ways. */
const STATUSES = ['200', '400', '403', '405', '429'];

/** The proxies of the configuration, a proxy that is not configured, and a target that is not. */
let configured: readonly FakeProxy[];
let others: readonly FakeProxy[];
let harness: Harness;
let server: HttpServer;

beforeAll(async () => {
  configured = await Promise.all(NAMES.map(() => FakeProxy.start(answers(OPENED))));
  others = await Promise.all([FakeProxy.start(answers(OPENED)), FakeProxy.start(answers(OPENED))]);
  const proxies = configured.map(({ port }, index) => ({
    ...{ name: NAMES[index], product_type: 'isp', proxy: `http://alice:hunter2@127.0.0.1:${port}` },
  }));
  harness = await Harness.build({
    now: '2026-07-06T12:01:30Z',
    account: {
      ...{ traffic: false, residential_ledger: false, proxy_users: false, reconciliation: false },
      probes: { urls: URLS, proxies, control: false },
    },
  });
  const { app, clock } = harness;
  server = await startHttpServer({
    ...{ listen: { host: '127.0.0.1', port: 0 }, view: createView({ app, clock, version: '1.2.3' }) },
    ...{ reload: async () => ({ result: 'no_file' as const }), clock, log: silentLog },
  });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await harness[Symbol.asyncDispose]();
  for (const proxy of [...configured, ...others]) await proxy[Symbol.asyncDispose]();
});

/** Ways to write an address at which a proxy or target listens that is not configured. */
const otherAddress = fc
  .tuple(fc.constantFrom(0, 1), fc.constantFrom('127.0.0.1', 'localhost', '[::ffff:127.0.0.1]'))
  .chain(([index, host]) => {
    const at = `${host}:${others[index]?.port}`;
    return fc.constantFrom(
      ...[at, `${at}:alice:hunter2`, `http://${at}`, `https://${at}/`, `socks5://alice:hunter2@${at}`],
      ...[`one@${at}`, `one,${at}`, `one\r\nHost: ${at}`, `check#https://${at}/`, `//${at}`],
    );
  });
const known = fc.constantFrom(
  ...NAMES,
  ...URLS.map(({ name }) => name),
  ...URLS.map(({ url }) => url),
  'main',
);
const value = fc.oneof(known, otherAddress, anyText());
const name = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('proxy', 'url') },
  {
    weight: 1,
    arbitrary: fc.oneof(fc.constantFrom('account', 'target', 'proxy[]', 'proxy_url', 'module'), anyText()),
  },
);
/** Often a query that names a configured proxy and url, with something added. */
const query = fc
  .tuple(
    fc.oneof(
      fc.constant([]),
      fc.tuple(fc.constant('proxy'), fc.constantFrom(...NAMES)).map((one) => [one]),
    ),
    fc.oneof(
      fc.constant([]),
      fc.tuple(fc.constant('url'), fc.constantFrom('check', 'shop')).map((one) => [one]),
    ),
    fc.array(fc.tuple(name, value), { maxLength: 3 }),
  )
  .map((parts) => parts.flat())
  .map((pairs) =>
    pairs.map((pair) => pair.map((text) => encodeURIComponent(text.toWellFormed())).join('=')).join('&'),
  );

const headerName = fc.constantFrom(
  ...['Forwarded', 'X-Forwarded-Host', 'X-Forwarded-For', 'X-Original-URL', 'X-Rewrite-URL', 'Proxy', 'Via'],
  ...['Referer', 'Origin', 'Sec-Fetch-Site', 'Accept', 'X-HTTP-Method-Override', 'Upgrade'],
  ...['Proxy-Authorization', 'Authorization', 'X-Prometheus-Scrape-Timeout-Seconds', 'Cookie'],
);
/** A header has no line breaks; a line break begins the next one. */
const headerText = value.map((text) => text.replaceAll(/[^\x20-\x7e]/g, '?'));
const headers = fc
  .array(fc.tuple(headerName, headerText), { maxLength: 3 })
  .map((pairs) => pairs.map(([key, text]) => `${key}: ${text}\r\n`).join(''));
const method = fc.oneof(
  { weight: 8, arbitrary: fc.constant('GET') },
  {
    weight: 2,
    arbitrary: fc.constantFrom('HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'FOO'),
  },
);
/** As to a server, and as to a proxy. */
const origin = fc.oneof(
  fc.constant(''),
  fc.constantFrom(0, 1).map((index) => `http://127.0.0.1:${others[index]?.port}`),
);
const request = fc
  .record({ method, origin, query, headers })
  .map(
    (one) =>
      `${one.method} ${one.origin}/probe?${one.query} HTTP/1.1\r\n${HOST}Connection: close\r\n${one.headers}\r\n`,
  );

it('no request reaches a proxy or a target that is not configured', { timeout: FUZZ_TIMEOUT }, async () => {
  const seen = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(request, async (text) => {
      const [status = ''] = statusesIn(await exchange(server, text));
      seen.set(status, (seen.get(status) ?? 0) + 1);
      expect(STATUSES).toContain(status);
      expect(others.map(({ connections }) => connections)).toEqual([0, 0]);
      const asked = configured.flatMap(({ received }) => received.map((bytes) => bytes.split(' HTTP/')[0]));
      expect(asked.filter((line) => !/^CONNECT (check|shop)\.example:443$/.test(line ?? ''))).toEqual([]);
    }),
    cases(1_500),
  );
  // Requests for configured probes were among them. They share the results of 30 seconds of the daemon's clock.
  expect(seen.get('200')).toBeGreaterThan(0);
  expect(configured.every(({ connections }) => connections > 2 && connections <= 4)).toBe(true);
});
