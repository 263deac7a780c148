// Defines the options of one receiver of remote write.

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
}

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

/** Headers with the name of a tenant. Receivers quote it in their answers, and it is no secret. */
const TENANT_HEADERS: ReadonlySet<string> = new Set(['x-scope-orgid', 'thanos-tenant']);

/** Returns the texts that no log may show. */
export const secretsOf = ({ url, basicAuth, bearerToken, headers = {} }: ReceiverOptions): string[] => [
  ...[url, basicAuth?.password, bearerToken].flatMap((secret) => secret?.reveal() ?? []),
  ...Object.entries(headers).flatMap(([name, value]) =>
    TENANT_HEADERS.has(name.toLowerCase()) ? [] : [value],
  ),
];
