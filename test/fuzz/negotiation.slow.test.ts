// Fuzzes Accept and Accept-Encoding of /metrics over real HTTP, against RFC 9110 written down once more.

import { get } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { gauge } from '../../src/lib/family.ts';
import { Exposition } from '../../src/metrics/exposition.ts';
import { negotiate } from '../../src/metrics/negotiate.ts';
import { startServer, type TestServer } from '../http/support.ts';
import { parse } from '../metrics/support.ts';
import { cases, FUZZ_TIMEOUT } from '../support/fuzz.ts';

/** One element of a header, before it is written with random case and spaces. */
interface Element {
  readonly name: string;
  readonly version: string | undefined;
  /** In thousandths; undefined if it is not written. */
  readonly quality: number | undefined;
  readonly space: string;
  readonly isUpper: boolean;
  readonly extra: string;
}

const SERIES = gauge('x_size_bytes', 'Size.', ['name']);

let server: TestServer;

beforeAll(async () => {
  const exposition = new Exposition([SERIES]);
  await exposition.render({ account: 'main', collector: 'traffic' }, async (sink) => {
    sink.sample(SERIES, { name: 'a "b"\n\\' }, 0.1);
    sink.sample(SERIES, { name: '\u{1f600}' }, 2 ** 53 - 1);
  });
  server = await startServer({
    scrape: ({ accept, acceptEncoding }) => exposition.scrape(negotiate(accept, acceptEncoding)),
  });
});
afterAll(() => server[Symbol.asyncDispose]());

const elementOf = (
  names: readonly string[],
  versions: readonly (string | undefined)[],
): fc.Arbitrary<Element> =>
  fc.record({
    name: fc.constantFrom(...names),
    version: fc.constantFrom(...versions),
    quality: fc.option(fc.oneof(fc.constantFrom(0, 500, 1_000), fc.nat(1_000)), { nil: undefined }),
    space: fc.constantFrom('', ' ', '\t', '  '),
    isUpper: fc.boolean(),
    extra: fc.constantFrom('', 'charset=utf-8', 'x="a,b;q=1"', 'escaping="allow-utf-8"', 'x="\\",gzip"'),
  });

const textOf = ({ name, version, quality, space, isUpper, extra }: Element): string => {
  const isMedia = name.includes('/');
  const parts = [
    isUpper ? name.toUpperCase() : name,
    ...(isMedia && extra !== '' ? [extra] : []),
    ...(version === undefined ? [] : [`version=${isUpper ? `"${version}"` : version}`]),
    ...(quality === undefined ? [] : [`q=${(quality / 1_000).toFixed(3)}`]),
  ];
  return parts.join(`${space};${space}`);
};

const header = (elements: readonly Element[]): string =>
  elements.map((each) => `${each.space}${textOf(each)}${each.space}`).join(',');

const media = elementOf(
  [
    'application/openmetrics-text',
    'text/plain',
    'application/*',
    'text/*',
    '*/*',
    'text/html',
    'application/json',
  ],
  [undefined, undefined, '1.0.0', '0.0.4', '0.0.1'],
);
const coding = elementOf(['gzip', 'identity', '*', 'br', 'x-gzip', 'deflate'], [undefined]);

/** The quality of the most specific of the names that the header has; of several with one name the best. */
const qualityOf = (elements: readonly Element[], names: readonly string[]): number | undefined => {
  for (const name of names) {
    const found = elements.filter((each) => each.name === name).map(({ quality = 1_000 }) => quality);
    if (found.length > 0) return Math.max(...found);
  }
  return undefined;
};

const qualityOfMedia = (elements: readonly Element[], type: string, version: string): number => {
  if (elements.length === 0) return 1_000;
  const fitting = elements.filter((each) => (each.version ?? version) === version);
  return qualityOf(fitting, [type, type.replace(/\/.*/, '/*'), '*/*']) ?? 0;
};

/** Encodings that the header does not name are refused, except the plain one. */
const qualityOfCoding = (elements: readonly Element[], names: readonly string[], ifUnnamed: number): number =>
  qualityOf(elements, [...names, '*']) ?? ifUnnamed;

interface Answer {
  readonly status: number | undefined;
  readonly type: string;
  readonly encoding: string;
  readonly body: string;
}

const scrape = (headers: Record<string, string>): Promise<Answer> =>
  new Promise((resolve, reject) => {
    get(`${server.url}/metrics`, { headers }, async (response) => {
      const bytes = await buffer(response);
      const encoding = response.headers['content-encoding'] ?? 'identity';
      expect(response.headers['content-length']).toBe(String(bytes.length));
      resolve({
        status: response.statusCode,
        type: response.headers['content-type'] ?? '',
        encoding,
        body: (encoding === 'gzip' ? gunzipSync(bytes) : bytes).toString(),
      });
    }).on('error', reject);
  });

const checkBody = ({ status, type, body }: Answer): void => {
  expect(status).toBe(200);
  expect(type).toMatch(
    /^(?:application\/openmetrics-text; version=1\.0\.0; charset=utf-8; escaping=underscores|text\/plain; version=0\.0\.4; charset=utf-8)$/,
  );
  expect(body.endsWith('# EOF\n')).toBe(type.startsWith('application/'));
  expect(parse(body)).toEqual([
    { name: 'x_size_bytes', labels: { account: 'main', name: 'a "b"\n\\' }, value: 0.1 },
    { name: 'x_size_bytes', labels: { account: 'main', name: '\u{1f600}' }, value: 2 ** 53 - 1 },
  ]);
};

it(
  'every answer is acceptable if any is, and is never of a lower quality than the other named one',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(media, { maxLength: 5 }),
        fc.array(coding, { maxLength: 4 }),
        async (types, codings) => {
          const answer = await scrape({
            ...(types.length > 0 && { accept: header(types) }),
            ...(codings.length > 0 && { 'accept-encoding': header(codings) }),
          });
          checkBody(answer);
          const text = qualityOfMedia(types, 'text/plain', '0.0.4');
          const openmetrics = qualityOfMedia(types, 'application/openmetrics-text', '1.0.0');
          // If the client accepts neither, it gets text.
          if (answer.type.startsWith('text/')) expect(text > 0 || openmetrics === 0).toBe(true);
          else expect(openmetrics > 0 && openmetrics >= text).toBe(true);
          const gzip = qualityOfCoding(codings, ['gzip', 'x-gzip'], 0);
          const plain = qualityOfCoding(codings, ['identity'], 1);
          // If the client accepts neither, it gets the plain text.
          if (answer.encoding === 'identity') expect(plain > 0 || gzip === 0).toBe(true);
          else expect([gzip, plain, gzip > 0 && gzip >= plain]).toEqual([gzip, plain, true]);
        },
      ),
      cases(1_000),
    );
  },
  FUZZ_TIMEOUT,
);

it(
  'a header of any text is answered',
  async () => {
    const token = fc.constantFrom(
      ...[
        'gzip',
        '*',
        ';',
        ',',
        '=',
        'q=',
        'q=0',
        '"',
        '\\',
        ' ',
        '\t',
        '/',
        '*/*',
        'text/plain',
        '1e999',
        '-1',
        'NaN',
      ],
      ...['application/openmetrics-text', 'version=', '1.0.0', 'é', '__proto__'],
    );
    const value = fc
      .array(token, { maxLength: 40 })
      .map((tokens) => Buffer.from(tokens.join('')).toString('latin1'));
    await fc.assert(
      fc.asyncProperty(value, value, async (accept, encoding) => {
        checkBody(await scrape({ accept, 'accept-encoding': encoding }));
      }),
      cases(300),
    );
  },
  FUZZ_TIMEOUT,
);
