// Defines the faults of the table: what the provider answers instead of a good answer.

import {
  jsonOf,
  type ProviderAnswer,
  type Reaction,
  rewriteJson,
  withBody,
} from '../support/faulty-provider.ts';

export interface Fault {
  /** The name in the table. */
  readonly name: string;
  /** Whether proxywatch sends no requests to the endpoint for a while. */
  readonly pausesEndpoint?: boolean;
  react(answer: ProviderAnswer): Reaction;
}

const STATUS_TEXTS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  422: 'Unprocessable',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
};

/** Answers with an error as the provider's documentation shows it. */
const refusal =
  (status: number, message: string, headers: Readonly<Record<string, string>> = {}) =>
  (answer: ProviderAnswer): ProviderAnswer =>
    withBody(answer, JSON.stringify({ error: STATUS_TEXTS[status], message }), { status, headers });

const halfOf = (answer: ProviderAnswer): ProviderAnswer => {
  const body = Buffer.concat(answer.body);
  return withBody(answer, [body.subarray(0, body.length / 2)]);
};

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Empties a list, and the number that says how long it is. Objects without lists lose all their fields. */
const emptied = (data: unknown): unknown => {
  if (Array.isArray(data)) return [];
  if (!isObject(data)) return data;
  if (!Object.values(data).some(Array.isArray)) return {};
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => {
      if (Array.isArray(value)) return [key, []];
      return [key, key.startsWith('total_') ? 0 : value];
    }),
  );
};

const withoutItems = (json: unknown): unknown => {
  if (!isObject(json)) return json;
  const { data, ...rest } = json;
  const counts = 'total_count' in rest ? { item_count: 0, total_count: 0 } : {};
  return { ...(emptied(rest) as Json), ...counts, data: emptied(data) };
};

const FILLING = Buffer.alloc(40e6, 'x');

/** A valid answer with a field that no one needs, which makes it longer than any answer can need to be. */
const padded = (answer: ProviderAnswer): ProviderAnswer => {
  const json = Buffer.from(JSON.stringify(jsonOf(answer)).slice(1));
  return withBody(answer, [Buffer.from('{"padding":"'), FILLING, Buffer.from('",'), json]);
};

export const FAULTS: readonly Fault[] = [
  { name: '400', react: refusal(400, 'The request is not valid.') },
  { name: '401', react: refusal(401, 'API key authentication is required.') },
  { name: '403', react: refusal(403, 'You may not do this.') },
  { name: '404', react: refusal(404, 'Not found.') },
  { name: '422', react: refusal(422, 'The request breaks a rule.') },
  {
    name: '429 with Retry-After',
    pausesEndpoint: true,
    // The runs that wait at the same time add their waits to the clock. With longer pauses, their order would decide
    // whether a run meets its deadline.
    react: refusal(429, 'Rate limit exceeded.', { 'retry-after': '60' }),
  },
  {
    name: '429 with a time',
    pausesEndpoint: true,
    react: refusal(429, 'Rate limit exceeded. Please try again in 45 seconds.'),
  },
  {
    name: '429 without a time',
    pausesEndpoint: true,
    react: refusal(429, 'Rate limit exceeded. Please try again later.'),
  },
  { name: '500', react: refusal(500, 'Something went wrong.') },
  { name: 'timeout', react: () => 'silence' },
  { name: 'reset', react: () => 'reset' },
  { name: 'cut JSON', react: halfOf },
  {
    name: 'HTML',
    react: (answer) =>
      withBody(answer, '<!doctype html><html><body><h1>Maintenance</h1></body></html>', {
        headers: { 'content-type': 'text/html' },
      }),
  },
  { name: 'empty list', react: (answer) => rewriteJson(answer, withoutItems) },
  {
    name: 'data of another type',
    react: (answer) => rewriteJson(answer, (json) => ({ ...(json as Json), data: 'maintenance' })),
  },
  { name: '40 MB', react: padded },
];
