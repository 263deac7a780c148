// Defines the calls, routes and errors of the simulated endpoints.

import { STATUS_CODES } from 'node:http';

export interface ApiCall {
  /** The rest of the path if the route ends in an id; otherwise empty. */
  readonly id: string;
  readonly query: URLSearchParams;
  /** The parsed JSON of a POST. */
  readonly body: unknown;
  /** Time of the call in milliseconds since the epoch. */
  readonly at: number;
  /** Number of items by which pages after the first are shifted, for listings that change while they are read. */
  readonly pageShift: number;
}

export interface Route {
  readonly method: 'GET' | 'POST';
  /** The path under `public/user/` without the id. It is the endpoint's name. */
  readonly endpoint: string;
  readonly takesId?: boolean;
  /** Returns the body of a 200. Throws HttpError. */
  readonly handle: (call: ApiCall) => object;
}

/** The provider has a word of its own for 422. */
const STATUS_TEXTS: typeof STATUS_CODES = { ...STATUS_CODES, 422: 'Unprocessable' };

/** An error that is sent as an answer with a status other than 200. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }

  body(requestId: string): object {
    return { error: STATUS_TEXTS[this.status] ?? 'Error', message: this.message, api_request_id: requestId };
  }
}

/** Accepts `true`, `True`, `1` and their opposites. Throws HttpError 400 on other values. */
export const booleanOf = (query: URLSearchParams, name: string): boolean => {
  const text = query.get(name)?.toLowerCase() ?? 'false';
  if (text === 'true' || text === '1') return true;
  if (text === 'false' || text === '0') return false;
  throw new HttpError(400, `${name} must be a boolean.`);
};

/** Returns the route of a retrieval. It answers 404 if `find` returns undefined. */
export const retrieveRoute = (
  endpoint: string,
  name: string,
  find: (call: ApiCall) => object | undefined,
): Route => ({
  method: 'GET',
  endpoint,
  takesId: true,
  handle: (call) => {
    const data = find(call);
    if (!data) throw new HttpError(404, `${name} not found.`);
    return { data, message: `${name} retrieved.` };
  },
});
