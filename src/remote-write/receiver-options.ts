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
