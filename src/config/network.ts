// Addresses: of what is called, and to listen on.

import { parsedText } from './parsed-text.ts';

export interface ListenAddress {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
}

const EVERY_ADDRESS = '0.0.0.0';

/** An http:// or https:// address as it is written. Never shown in a mistake, for its query may hold a token. */
export const httpUrl = () =>
  parsedText(HTTP_URL, (text) => (isHttpUrl(text) ? text : undefined), whyNoHttpUrl).meta({
    description: 'An http:// or https:// address without user name and password.',
    examples: ['https://example.com/'],
    writeOnly: true,
  });

/** What isHttpUrl asks for, in words. */
export const HTTP_URL = 'an http:// or https:// address without user name and password';

export const isHttpUrl = (text: string): boolean => {
  const url = URL.parse(text);
  return isHttp(url) && !hasUser(url);
};

/** Why a text is none, without the text. */
export const whyNoHttpUrl = (text: string): string => {
  const url = URL.parse(text);
  return `${url ? faultOf(url) : 'no URL'}; expected ${HTTP_URL}`;
};

const faultOf = (url: URL): string =>
  isHttp(url)
    ? 'a URL with a user name or password in it'
    : 'a URL that begins with neither http:// nor https://';

const isHttp = (url: URL | null): url is URL => /^https?:$/.test(url?.protocol ?? '');

const hasUser = ({ username, password }: URL): boolean => username !== '' || password !== '';

/** host:port; an IPv6 host stands in brackets, where it is left out all IPv4 addresses are meant. */
export const listenAddress = () =>
  parsedText(LISTEN_ADDRESS, parseListenAddress).meta({
    description: 'Address to listen on: host:port, or :port for all addresses.',
    examples: ['127.0.0.1:9876', '[::1]:9876', ':9876'],
  });

/** What parseListenAddress asks for, in words. */
export const LISTEN_ADDRESS = 'an address such as 127.0.0.1:9876, [::1]:9876 or :9876';

/** Undefined when the text is no address to listen on. */
export const parseListenAddress = (text: string): ListenAddress | undefined => {
  const [, v6, name, digits] = /^(?:\[([\da-fA-F:.]+)\]|([\w.-]*)):(\d{1,5})$/.exec(text) ?? [];
  const host = v6 ?? (name === '' ? EVERY_ADDRESS : name);
  const port = Number(digits);
  return host !== undefined && port <= 65_535 ? { host, port } : undefined;
};
