// What the simulated endpoints speak: calls, routes and refusals.

export interface Call {
  /** The rest of the path, where the route ends in an id; else empty. */
  readonly id: string;
  readonly query: URLSearchParams;
  /** Parsed JSON of a POST. */
  readonly body: unknown;
  /** Instant of the call in milliseconds. */
  readonly at: number;
  /** How many items the pages after the first are shifted by, for listings that move while they are read. */
  readonly pageShift: number;
}

export interface Route {
  readonly method: 'GET' | 'POST';
  /** Path under `public/user/`, without the id: the endpoint's name. */
  readonly endpoint: string;
  readonly takesId: boolean;
  /** Returns the body of a 200. Throws Refusal. */
  readonly handle: (call: Call) => object;
}

const STATUS_TEXTS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  422: 'Unprocessable',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
};

/** An answer other than 200. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
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

/** `true`, `True`, `1` and their opposites. Throws Refusal 400 on other values. */
export const booleanOf = (query: URLSearchParams, name: string): boolean => {
  const text = query.get(name)?.toLowerCase() ?? 'false';
  if (text === 'true' || text === '1') return true;
  if (text === 'false' || text === '0') return false;
  throw new Refusal(400, `${name} must be a boolean.`);
};
