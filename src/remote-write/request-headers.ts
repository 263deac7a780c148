// Builds the headers of requests to a receiver of remote write.

import { RESERVED_HEADERS, type ReceiverOptions } from './receiver-options.ts';

/** The version of the protocol as its specification writes it, although the specification itself has version 1.0. */
const PROTOCOL_VERSION = '0.1.0';

export const requestHeaders = (options: ReceiverOptions, userAgent: string): Record<string, string> => ({
  ...commonHeaders(options, userAgent),
  'content-encoding': 'snappy',
  'content-type': 'application/x-protobuf',
  'x-prometheus-remote-write-version': PROTOCOL_VERSION,
});

/** The headers of the operator, the credentials and the name of proxywatch, which queries have too. */
export const commonHeaders = (options: ReceiverOptions, userAgent: string): Record<string, string> => ({
  ...ownHeaders(options.headers ?? {}),
  ...authorization(options),
  'user-agent': userAgent,
});

const ownHeaders = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !RESERVED_HEADERS.has(name.toLowerCase())));

const authorization = ({ basicAuth, bearerToken }: ReceiverOptions): Record<string, string> => {
  if (bearerToken) return { authorization: `Bearer ${bearerToken.reveal()}` };
  if (!basicAuth) return {};
  const pair = `${basicAuth.username}:${basicAuth.password.reveal()}`;
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
};
