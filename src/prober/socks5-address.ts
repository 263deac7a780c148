// Encodes the target's address for SOCKS5.

import { isIP } from 'node:net';
import { ProbeError } from './probe-error.ts';

const IPV4 = 1;
const DOMAIN = 3;
const IPV6 = 4;
const IPV6_GROUPS = 8;
const MAX_NAME_BYTES = 255;

/** Returns type and address. An IPv6 address has no brackets. Throws ProbeError for a name that is too long. */
export const addressBytes = (host: string): Buffer => {
  const family = isIP(host);
  if (family === 4) return Buffer.from([IPV4, ...host.split('.').map(Number)]);
  if (family === 6)
    return Buffer.from([IPV6, ...ipv6Groups(host).flatMap((group) => [group >> 8, group & 0xff])]);
  if (host.length > MAX_NAME_BYTES)
    throw new ProbeError('target_name', 'the name of the target is longer than the 255 bytes of SOCKS5');
  return Buffer.concat([Buffer.from([DOMAIN, host.length]), Buffer.from(host, 'latin1')]);
};

/** Expands an address in the form of the URL standard, which writes no group as a dotted IPv4 address. */
const ipv6Groups = (host: string): number[] => {
  const [head = '', tail] = host.split('::');
  const [first, last] = [groupsOf(head), groupsOf(tail ?? '')];
  const zeros = new Array<number>(IPV6_GROUPS - first.length - last.length).fill(0);
  return [...first, ...zeros, ...last];
};

const groupsOf = (text: string): number[] =>
  text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
