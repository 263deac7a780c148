// Serves a client that speaks SOCKS5 (RFC 1928, RFC 1929): CONNECT only, with names resolved by the proxy.

import { ANONYMOUS, authenticate, type Credentials, type Customer } from './admission.ts';
import type { ByteReader } from './byte-reader.ts';
import { classOfCode, SOCKS_REPLIES } from './codes.ts';
import { faultOfKind } from './proxy-faults.ts';
import { openRoute, relay } from './route.ts';
import type { HostPort } from './simulated-proxy.ts';
import type { Visit } from './visit.ts';

const VERSION = 5;
const METHODS = { none: 0, password: 2, notAcceptable: 0xff } as const;
const PASSWORD_VERSION = 1;
const CONNECT = 1;
const ADDRESS = { ipv4: 1, name: 3, ipv6: 4 } as const;

/** Throws ClosedEarly if the client leaves. */
export const serveSocks = async (visit: Visit, reader: ByteReader): Promise<void> => {
  const customer = await handshake(visit, reader);
  if (!customer) return;
  const [, command = 0, , kind = 0] = await reader.bytes(4);
  const target = await readTarget(reader, kind);
  if (!target) return refuse(visit, SOCKS_REPLIES.unsupportedAddress);
  if (command !== CONNECT) return refuse(visit, SOCKS_REPLIES.unsupportedCommand);
  const upstream = await openRoute(visit, customer, target);
  if ('code' in upstream) return refuse(visit, classOfCode(upstream.code)?.reply ?? SOCKS_REPLIES.failure);
  visit.isSuccessful = true;
  if (await visit.answer(reply(SOCKS_REPLIES.success))) relay(visit, upstream, reader.rest());
  else upstream.destroy();
};

/** Returns undefined after a refusal. */
const handshake = async (visit: Visit, reader: ByteReader): Promise<Customer | undefined> => {
  const [, count = 0] = await reader.bytes(2);
  const offered = [...(await reader.bytes(count))];
  const address = visit.raw.remoteAddress ?? '';
  const method = methodOf(offered, visit.context.authorizedAddresses.has(address));
  if (method === METHODS.notAcceptable) {
    await visit.refuse(Buffer.from([VERSION, method]));
    return undefined;
  }
  if (!(await visit.answer(Buffer.from([VERSION, method])))) return undefined;
  const credentials = method === METHODS.password ? await readCredentials(reader) : undefined;
  const customer = authenticate(visit.context, visit.proxy, credentials, address);
  if (customer === ANONYMOUS || 'code' in customer || hasCredentialsFault(visit)) {
    await visit.refuse(Buffer.from([PASSWORD_VERSION, 1]));
    return undefined;
  }
  const accepted = Buffer.from([PASSWORD_VERSION, 0]);
  return method === METHODS.none || (await visit.answer(accepted)) ? customer : undefined;
};

const methodOf = (offered: readonly number[], isAuthorized: boolean): number => {
  if (isAuthorized && offered.includes(METHODS.none)) return METHODS.none;
  return offered.includes(METHODS.password) ? METHODS.password : METHODS.notAcceptable;
};

const readCredentials = async (reader: ByteReader): Promise<Credentials> => {
  await reader.bytes(1);
  const text = async () => (await reader.bytes((await reader.bytes(1))[0] ?? 0)).toString();
  return { username: await text(), password: await text() };
};

/** With SOCKS5, refused credentials end the handshake, and every other code answers the request. */
const hasCredentialsFault = (visit: Visit): boolean => {
  const fault = faultOfKind(visit.faults(), 'code');
  return fault !== undefined && classOfCode(fault.code)?.status === 407;
};

const readTarget = async (reader: ByteReader, kind: number): Promise<HostPort | undefined> => {
  const host = await readHost(reader, kind);
  if (host === undefined) return undefined;
  return { host, port: (await reader.bytes(2)).readUInt16BE() };
};

const readHost = async (reader: ByteReader, kind: number): Promise<string | undefined> => {
  switch (kind) {
    case ADDRESS.ipv4:
      return [...(await reader.bytes(4))].join('.');
    case ADDRESS.name:
      return (await reader.bytes((await reader.bytes(1))[0] ?? 0)).toString();
    case ADDRESS.ipv6:
      return ipv6Text(await reader.bytes(16));
    default:
      return undefined;
  }
};

const ipv6Text = (bytes: Buffer): string => {
  const groups = bytes.toString('hex').match(/.{4}/g) ?? [];
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
};

const refuse = (visit: Visit, code: number): Promise<void> => visit.refuse(reply(code));

const reply = (code: number): Buffer =>
  Buffer.from([VERSION, code, 0, ADDRESS.ipv4, ...[0, 0, 0, 0], ...[0, 0]]);
