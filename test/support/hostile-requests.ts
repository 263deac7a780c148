// The requests that the test of hostile clients sends: extreme parameters of every route, and request smuggling.

export const requestOf = (path: string, headers = ''): string =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`;

/** The connection ends with the answer, so that the client sends the next request. */
export const CLOSE = 'Connection: close\r\n';

const RANGES: readonly (readonly [string, string])[] = [
  ['2000-01-01', '2099-12-31'],
  ['2099-12-31', '2000-01-01'],
  ['0001-01-01', '9999-12-31'],
  ['-271821-04-20', '+275760-09-13'],
  ['1970-01-01T00:00:00Z', '9999-12-31T23:59:59Z'],
  ['0000-01-01T00:00:00Z', '9999-12-31T23:59:59-23:59'],
  ['-1', '99999999999999999999'],
];
const LIMITS = ['1000', '1001', '0', '-1', '1e400', '9007199254740993', '9'.repeat(1_000)];
const OTHERS = ['', 'x'.repeat(8_000), '%00', '%f0%9f%92%a9', '0001-01-01', '-1'];
const CURSORS = ['0000-01-01\n', '9999-12-31\n', '-Infinity\nx', '1e400\n'].map((id) =>
  Buffer.from(`main\n${id}`).toString('base64url'),
);

interface Description {
  /** Some routes only change data, so they have no `get`. */
  readonly paths: Readonly<Record<string, { readonly get?: { readonly parameters: readonly Parameter[] } }>>;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
}

/** Returns a request for each extreme value of each parameter of the routes that the OpenAPI document lists. */
export const extremeRequests = ({ paths }: Description): readonly string[] =>
  Object.entries(paths).flatMap(([path, { get }]) => {
    if (!get) return [];
    const names = get.parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
    const target = path.replaceAll('{account}', 'main').replaceAll(/\{\w+\}/g, '%ff%00');
    return queriesFor(names).map((query) => requestOf(`${target}?${query}`, CLOSE));
  });

const queriesFor = (names: readonly string[]): readonly string[] => [
  ...(names.includes('from') ? RANGES.map(([from, to]) => `from=${from}&to=${to}&limit=1000`) : []),
  ...names.flatMap((name) => valuesOf(name).map((value) => `${name}=${value}`)),
  names.map((name) => `${name}=1`.repeat(20)).join('&'),
];

const valuesOf = (name: string): readonly string[] =>
  name === 'limit' ? LIMITS : name === 'cursor' ? CURSORS : OTHERS;

const HEAD = 'GET /-/healthy HTTP/1.1\r\nHost: localhost\r\n';
/** A server that is deceived answers this with 404. */
const HIDDEN = requestOf('/hidden');
const CHUNKED = 'Transfer-Encoding: chunked\r\n\r\n';

/** Each of these may be read differently by a proxy in front. */
export const SMUGGLED: readonly string[] = [
  `Content-Length: 4\r\n${CHUNKED}0\r\n\r\n`,
  'Content-Length: 4\r\nContent-Length: 5\r\n\r\nabcd',
  'Content-Length: +4\r\n\r\nabcd',
  'Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n',
  'Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n',
  `Transfer-Encoding: chunked\r\n${CHUNKED}0\r\n\r\n`,
  'A: b\nContent-Length: 0\r\n\r\n',
  'A: b\r\n Transfer-Encoding: chunked\r\n\r\n',
  `${CHUNKED}zz\r\n`,
  `Content-Length: ${HIDDEN.length}\r\n${CLOSE}\r\n`,
  `${CLOSE}${CHUNKED}${HIDDEN.length.toString(16)}\r\n${HIDDEN}\r\n0\r\n\r\n`,
].map((rest) => `${HEAD}${rest}${HIDDEN}`);
