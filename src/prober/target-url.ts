// Parses the addresses of targets, each only once, because a round probes many proxies at the same target.

import type { Secret } from '../lib/secret.ts';
import { ProbeError, type ProbeTarget } from './probe.ts';

export interface TargetUrl {
  readonly url: URL;
  /** A name, an IPv4 address, or an IPv6 address without brackets. */
  readonly host: string;
  readonly port: number;
  /** The host and the port as in a request, with an IPv6 address in brackets. */
  readonly authority: string;
  readonly isSecure: boolean;
}

interface Parsed extends TargetUrl {
  readonly text: string;
}

const parsed = new WeakMap<Secret, Parsed>();

export const targetUrlOf = ({ url: secret }: Pick<ProbeTarget, 'url'>): TargetUrl => {
  const text = secret.reveal();
  const known = parsed.get(secret);
  // An address from a file can change between two probes.
  if (known?.text === text) return known;
  const target = { text, ...parse(text) };
  parsed.set(secret, target);
  return target;
};

const parse = (text: string): TargetUrl => {
  const url = URL.parse(text);
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:')
    throw new ProbeError('local', 'the address of the target must begin with http:// or https://');
  const { hostname } = url;
  const [port, isSecure] = [portOf(url), url.protocol === 'https:'];
  return { url, host: withoutBrackets(hostname), port, authority: `${hostname}:${port}`, isSecure };
};

/** The URL standard writes an IPv6 address in brackets, which sockets and SOCKS5 do not. */
const withoutBrackets = (hostname: string): string =>
  hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;

const portOf = ({ port, protocol }: URL): number => {
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
};
