// Defines the options of one receiver of remote write, with the headers and the secrets that follow from them.

import type { Secret } from '../lib/secret.ts';

export interface ReceiverOptions {
  readonly name: string;
  /** A secret, because its path or query may contain a token. */
  readonly url: Secret;
  readonly basicAuth?: { readonly username: string; readonly password: Secret } | undefined;
  readonly bearerToken?: Secret | undefined;
  /** Headers of the operator, such as the tenant. Reserved headers among them are not sent. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly tls?: TlsOptions | undefined;
  readonly timeoutMs: number;
  /** 1.0 unless given. A receiver that does not take 2.0 gets 1.0. */
  readonly protocol?: Protocol | undefined;
  /** Returns the description of a metric for 2.0 and OTLP. */
  readonly helpOf?: ((name: string) => string | undefined) | undefined;
}

/** A version of remote write, or OTLP. */
export type Protocol = '1.0' | '2.0' | 'otlp';

/** PEM texts. All are secrets, because a secret from a file is read again when the file changes. */
export interface TlsOptions {
  readonly ca?: Secret | undefined;
  readonly cert?: Secret | undefined;
  readonly key?: Secret | undefined;
}

/** Headers that the protocol, the connection or the options for credentials define. Prometheus reserves the same. */
export const RESERVED_HEADERS: ReadonlySet<string> = new Set([
  ...['authorization', 'content-encoding', 'content-length', 'content-type', 'user-agent'],
  ...['x-prometheus-remote-write-version', 'accept-encoding', 'connection', 'expect', 'host', 'keep-alive'],
  ...['proxy-authenticate', 'proxy-authorization', 'transfer-encoding', 'upgrade', 'www-authenticate'],
]);

/** The headers of each protocol. The specification of 1.0 itself writes its version as 0.1.0. */
const PROTOCOL_HEADERS: Readonly<Record<Protocol, Readonly<Record<string, string>>>> = {
  '1.0': {
    'content-encoding': 'snappy',
    'content-type': 'application/x-protobuf',
    'x-prometheus-remote-write-version': '0.1.0',
  },
  '2.0': {
    'content-encoding': 'snappy',
    'content-type': 'application/x-protobuf;proto=io.prometheus.write.v2.Request',
    'x-prometheus-remote-write-version': '2.0.0',
  },
  otlp: { 'content-encoding': 'gzip', 'content-type': 'application/x-protobuf' },
};

export const requestHeaders = (
  options: ReceiverOptions,
  userAgent: string,
  protocol: Protocol = '1.0',
): Record<string, string> => ({
  ...commonHeaders(options, userAgent),
  ...PROTOCOL_HEADERS[protocol],
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

/** Headers with the name of a tenant. Receivers quote it in their answers, and it is no secret. */
const TENANT_HEADERS: ReadonlySet<string> = new Set(['x-scope-orgid', 'thanos-tenant']);

/** Returns the texts that no log may show. Answers that quote them are hidden. A file may replace a secret at any time. */
export const secretsOf = ({ url, basicAuth, bearerToken, headers = {} }: ReceiverOptions): string[] => [
  ...secretsInUrl(url.reveal()),
  ...[basicAuth?.password, bearerToken].flatMap((secret) => secret?.reveal() ?? []),
  ...Object.entries(headers).flatMap(([name, value]) =>
    TENANT_HEADERS.has(name.toLowerCase()) ? [] : [value],
  ),
];

/**
 * Parts of a path that are words or numbers, such as `api`, `v1` and `write`. Without this exception, proxywatch would
 * hide the answer of Prometheus that the remote write receiver is not enabled. The longest is `opentelemetry`.
 */
const PLAIN_PART = /^(?:[a-z_]{0,13}|v\d|\d{1,10})$/;

const secretsInUrl = (text: string): string[] => {
  const url = URL.parse(text);
  if (!url) return [text];
  const parts = url.pathname.split('/').filter((part) => !PLAIN_PART.test(part));
  return [...parts, ...url.searchParams.values()].filter((part) => part !== '');
};
