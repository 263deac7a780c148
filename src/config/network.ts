// Parses http:// and https:// addresses, and addresses to listen on.

import { domainToASCII } from 'node:url';
import { parsedText } from './parsed-text.ts';

export interface ListenAddress {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
}

const ALL_IPV4_ADDRESSES = '0.0.0.0';

/** Schema of an http:// or https:// address as written. Mistakes never show it, because its query may hold a token. */
export const httpUrl = () =>
  parsedText(EXPECTED_HTTP_URL, (text) => (isHttpUrl(text) ? text : undefined), describeInvalidHttpUrl).meta({
    description: 'An http:// or https:// address without user name and password.',
    examples: ['https://example.com/'],
    writeOnly: true,
  });

/** Describes what isHttpUrl accepts. */
export const EXPECTED_HTTP_URL = 'an http:// or https:// address without user name and password';

export const isHttpUrl = (text: string): boolean => {
  const url = URL.parse(text);
  return isHttp(url) && url.username === '' && url.password === '';
};

/** Describes why a text is not such an address, without the text itself. */
export const describeInvalidHttpUrl = (text: string): string => {
  const url = URL.parse(text);
  return `${url ? problemOf(url) : 'not a URL'}; expected ${EXPECTED_HTTP_URL}`;
};

const problemOf = (url: URL): string =>
  isHttp(url)
    ? 'a URL with a user name or password in it'
    : 'a URL that does not begin with http:// or https://';

/** Schema of an address for appended paths, as `parseBaseUrl` gives it, without a pasted path `appended` at its end. */
export const baseUrl = (appended?: RegExp) =>
  parsedText(
    EXPECTED_HTTP_URL,
    (text) => {
      const url = parseBaseUrl(text);
      return appended ? url?.replace(appended, '') : url;
    },
    describeInvalidBaseUrl,
  ).meta({
    description: 'An http:// or https:// address without user name, password, query and fragment.',
    examples: ['https://example.com/prefix'],
    writeOnly: true,
  });

/** Returns the address without slashes at its end; undefined if no path can be appended to it. */
export const parseBaseUrl = (text: string): string | undefined => {
  if (!isHttpUrl(text) || /[?#]/.test(text)) return undefined;
  const { origin, pathname } = new URL(text);
  return origin + pathname.replace(/\/+$/, '');
};

export const describeInvalidBaseUrl = (text: string): string =>
  isHttpUrl(text)
    ? 'a URL with ? or # in it; expected an address to which proxywatch can append a path'
    : describeInvalidHttpUrl(text);

const isHttp = (url: URL | null): url is URL => /^https?:$/.test(url?.protocol ?? '');

export const ANY_HOST = '*';
const HOST_NAME = /^[a-z\d_][a-z\d_.-]{0,251}[a-z\d_]?$/;

/** Schema of a host name in lowercase and in the ASCII form that clients send, or of ANY_HOST. */
export const hostName = () =>
  parsedText('a host name without a port, such as proxywatch.example.com, or "*"', (text) => {
    // A text with a path or a query is no name, but domainToASCII would only drop them.
    const name = /[/?#\\]/.test(text) ? '' : domainToASCII(text).replace(/\.$/, '');
    return name === ANY_HOST || HOST_NAME.test(name) ? name : undefined;
  }).meta({ description: 'A host name without a port.', examples: ['proxywatch.example.com'] });

/** Schema of host:port. An IPv6 host is in brackets; without a host, all IPv4 addresses are meant. */
export const listenAddress = () =>
  parsedText(EXPECTED_LISTEN_ADDRESS, parseListenAddress).meta({
    description: 'Address to listen on: host:port, or :port for all addresses.',
    examples: ['127.0.0.1:9876', '[::1]:9876', ':9876'],
  });

/** Describes what parseListenAddress accepts. */
export const EXPECTED_LISTEN_ADDRESS = 'an address such as 127.0.0.1:9876, [::1]:9876 or :9876';

/** Returns undefined if the text is not an address to listen on. */
export const parseListenAddress = (text: string): ListenAddress | undefined => {
  const [, v6, name, digits] = /^(?:\[([\da-fA-F:.]+)\]|([\w.-]*)):(\d{1,5})$/.exec(text) ?? [];
  const host = v6 ?? (name === '' ? ALL_IPV4_ADDRESSES : name);
  const port = Number(digits);
  return host !== undefined && port <= 65_535 ? { host, port } : undefined;
};
