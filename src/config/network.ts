// Parses http:// and https:// addresses, and addresses to listen on.

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
  return isHttp(url) && !hasCredentials(url);
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

const isHttp = (url: URL | null): url is URL => /^https?:$/.test(url?.protocol ?? '');

const hasCredentials = ({ username, password }: URL): boolean => username !== '' || password !== '';

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
