// Fuzzes the paths and query parameters of every route over real HTTP, against a daemon with data of every collector.

import { get } from 'node:http';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { API_ROUTES } from '../../src/http/api/routes.ts';
import { ApiHarness } from '../http/api/api-harness.ts';
import { cases, FUZZ_TIMEOUT } from '../support/fuzz.ts';
import { anyText } from '../support/fuzzed-text.ts';

/** Far more than the largest answer about the simulated account. */
const MAX_BYTES = 2 * 1024 ** 2;
/** Far longer than any answer takes, also on a busy machine. */
const MAX_MS = 20_000;

/** A value that is not known is answered with 404 and the name of its parameter in the path. */
const PATH_PARAMETERS = API_ROUTES.flatMap(({ path }) =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name),
);

interface Request {
  readonly path: string;
  /** The names of the parameters that the route reads. */
  readonly names: readonly string[];
  readonly query: readonly (readonly [string, string])[];
}

let api: ApiHarness;

beforeAll(async () => {
  api = await ApiHarness.build();
  await api.run(3);
}, FUZZ_TIMEOUT);
afterAll(() => api[Symbol.asyncDispose]());

const cursor = fc
  .tuple(
    fc.constantFrom('main', '', 'zzz', '__proto__'),
    fc.oneof(
      anyText(),
      fc.constantFrom(
        '0000-01-01\n',
        '0001-01-01\nusage\n',
        '9999-12-31\n',
        '-271821-04-20',
        '275760-09-13',
        '1',
      ),
      fc.constantFrom('Infinity\nx', '-Infinity\nx', '1e400\n', '0x10\n', '-1\n', '9007199254740993'),
    ),
  )
  .map(([account, id]) => Buffer.from(`${account}\n${id}`).toString('base64url'));

const time = fc.oneof(
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  fc.constantFrom(
    '0000-01-01T00:00:00Z',
    '0000-01-01T00:00:00+23:59',
    '9999-12-31T23:59:59-23:59',
    '2026-07-05T12:00:00.123456789Z',
    '2026-07-05T12:00Z',
    '2026-02-30T00:00:00Z',
    '2026-07-05T00:00:00Z',
    '2026-07-05T13:00:00+02:00',
  ),
);

const date = fc.oneof(
  time.map((at) => at.slice(0, 10)),
  fc.constantFrom('2000-01-01', '2099-12-31', '2026-07-05', '2026-02-29', '1999-12-31'),
);

const words = fc.constantFrom(
  ...['main', 'true', 'false', 'hour', 'day', 'raw', 'exhaustion', 'id', 'residential', 'proxy', 'target'],
  ...['low', 'exhausted', 'traffic', 'proxy_users', 'active', 'gb'],
);

const number = fc.oneof(
  fc.integer({ min: -1, max: 1_001 }).map(String),
  fc.constantFrom('1e3', '0x10', ' 1', '١', '1.0', '99999999999999999999', '+5'),
);

const parameterValue = fc.oneof(anyText(), cursor, time, date, words, number);

const TYPICAL = new Map<string, fc.Arbitrary<string>>([
  ['account', fc.constant('main')],
  ['alert', fc.constantFrom('CollectorFailing', 'ServicePaused', 'StoreFailing', 'ProxywatchDown')],
  ['limit', number],
  ['cursor', cursor],
  ['from', fc.oneof(time, date)],
  ['to', fc.oneof(time, date)],
]);

/** Mostly typical values, so that several parameters are valid at the same time. */
const valueFor = (name: string): fc.Arbitrary<string> =>
  fc.oneof({ weight: 3, arbitrary: TYPICAL.get(name) ?? words }, { weight: 1, arbitrary: parameterValue });

const ROUTES = [
  ...API_ROUTES.map(({ path, query }) => ({ path, names: Object.keys(query) })),
  { path: '/api/v1/openapi.json', names: [] },
  { path: '/', names: ['account', 'view', 'id'] },
  { path: '/metrics', names: ['account', 'collector'] },
  { path: '/-/healthy', names: [] },
  { path: '/-/ready', names: [] },
  { path: '/assets/{file}', names: [] },
  { path: '/api/v1/{route}', names: [] },
];

const request: fc.Arbitrary<Request> = fc.constantFrom(...ROUTES).chain(({ path, names }) => {
  const anyName = fc.constantFrom(...names, 'unknown', '__proto__', 'constructor', 'hasOwnProperty', '');
  const likelyName = fc.constantFrom(...(names.length === 0 ? ['account'] : names));
  const name = fc.oneof({ weight: 20, arbitrary: likelyName }, { weight: 1, arbitrary: anyName });
  const pair = name.chain((each) => fc.tuple(fc.constant(each), valueFor(each)));
  const segment = fc.oneof(fc.constant('main'), anyText(), fc.constantFrom('.', '..', '%', '%c0%ae', 'a/b'));
  return fc.record({
    path: fc
      .tuple(segment, segment)
      .map(([one, other]) =>
        path.replace(/\{\w+\}/, () => encode(one)).replace(/\{\w+\}/, () => encode(other)),
      ),
    names: fc.constant(names),
    query: fc.array(pair, { maxLength: 5 }),
  });
});

/** Encodes as browsers do. A lone surrogate, which no URL can have, becomes the replacement character. */
const encode = (value: string): string => encodeURIComponent(value.toWellFormed());

const send = (path: string) =>
  new Promise<{ status: number; body: string }>((resolve, reject) => {
    const { hostname, port } = new URL(api.url);
    get({ hostname, port, path, agent: false }, async (response) => {
      resolve({ status: response.statusCode ?? 0, body: await text(response) });
    }).on('error', reject);
  });

const check = async (path: string, names: readonly string[]): Promise<void> => {
  const startedAt = performance.now();
  const { status, body } = await send(path);
  const tookMs = performance.now() - startedAt;
  expect([200, 400, 404]).toContain(status);
  expect(body.length).toBeLessThan(MAX_BYTES);
  expect(tookMs).toBeLessThan(MAX_MS);
  if (status === 200) return;
  const { error } = JSON.parse(body) as { error: string };
  const named = [...names, ...(status === 404 ? PATH_PARAMETERS : [])];
  const isNamed = named.some((name) => error.startsWith(`${name}: `));
  const unknown = /^(.*): unknown parameter; /s.exec(error)?.[1];
  if (status === 400 && unknown !== undefined && !names.includes(unknown)) return;
  const isOther = status === 400 ? error === 'the path is not a valid URL' : error === 'not found';
  expect([error, isNamed || isOther]).toEqual([error, true]);
};

it(
  'every route answers any parameters, or names the wrong one',
  async () => {
    await fc.assert(
      fc.asyncProperty(request, async ({ path, names, query }) => {
        const search = query.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&');
        await check(`${path}?${search}`, names);
      }),
      cases(1_500),
    );
  },
  FUZZ_TIMEOUT,
);

it(
  'every route answers a query that is not well-formed',
  async () => {
    const raw = fc.string({
      unit: fc.constantFrom(
        ...'&=%+;?/[]@:!$\'()*,.0aZ~|{}"<>^`\\-_',
        '%00',
        '%0a',
        '%ff',
        '%c3%28',
        'limit',
        'account',
      ),
      maxLength: 60,
    });
    await fc.assert(
      fc.asyncProperty(request, raw, async ({ path, names }, search) => check(`${path}?${search}`, names)),
      cases(500),
    );
  },
  FUZZ_TIMEOUT,
);

it('a made-up cursor before the range reads no more than the range', async () => {
  const { residential: ledger } = api.harness.app.store.ledgers;
  const reads = vi.spyOn(ledger, 'days');
  const early = Buffer.from('main\n0000-01-01\n').toString('base64url');
  const { status } = await api.request(`ledger/days?cursor=${early}`);
  expect([status, reads.mock.calls.length]).toEqual([200, 1]);
});
