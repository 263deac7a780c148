// Encodes credentials for basic authentication.

import type { ProbeProxy } from './probe.ts';

type Credentials = NonNullable<ProbeProxy['credentials']>;

export const basicCredentials = ({ username, password }: Credentials): string =>
  Buffer.from(`${username}:${password.reveal()}`).toString('base64');

/** Returns the header for a proxy, or nothing if the proxy knows its customers by their address. */
export const proxyAuthorization = ({ credentials }: ProbeProxy): string =>
  credentials ? `Proxy-Authorization: Basic ${basicCredentials(credentials)}\r\n` : '';
