// Opens a tunnel through a SOCKS5 proxy (RFC 1928, RFC 1929). The proxy resolves the target's name.

import { isIP } from 'node:net';
import type { Attempt } from './attempt.ts';
import { socksRefusalOf } from './causes.ts';
import { ProbeError, type ProbeProxy } from './probe.ts';
import { type Complete, complete, type Reader } from './reader.ts';

const NO_LOGIN = 0x00;
const LOGIN = 0x02;
const NO_METHOD = 0xff;
const MAX_FIELD_BYTES = 255;

export const openSocksTunnel = async (
  attempt: Attempt,
  proxy: ProbeProxy,
  host: string,
  port: number,
): Promise<void> => {
  const method = await chooseMethod(attempt, proxy);
  if (method === LOGIN) await logIn(attempt, proxy);
  await askForTunnel(attempt, host, port);
};

/** Offers one method only: a proxy with a choice would take no login, and hide a wrong password. */
const chooseMethod = async (attempt: Attempt, { credentials }: ProbeProxy): Promise<number> => {
  const { connection } = attempt;
  const offered = credentials ? LOGIN : NO_LOGIN;
  connection.write(Buffer.from([5, 1, offered]));
  attempt.trace('>', () => [`SOCKS5: ${credentials ? 'with' : 'without'} a user name and password`]);
  const method = await connection.read(choiceReader());
  attempt.trace('<', () => [`SOCKS5: ${METHODS[method] ?? `method ${method}`}`]);
  if (method === NO_METHOD) throw refuseLogin(attempt, credentials ? TAKES_NO_LOGIN : NEEDS_LOGIN);
  if (method === LOGIN && !credentials) throw refuseLogin(attempt, NEEDS_LOGIN);
  if (method !== offered) throw new ProbeError('protocol', NOT_OFFERED);
  return method;
};

const METHODS: Readonly<Record<number, string>> = {
  [NO_LOGIN]: 'no user name and password needed',
  [LOGIN]: 'user name and password, please',
  [NO_METHOD]: 'none of these methods is accepted',
};

const TAKES_NO_LOGIN =
  'the proxy accepts no user name and password; leave them out if it knows you by your address';
const NEEDS_LOGIN = 'the proxy demands a user name and password';
const NOT_OFFERED = 'the proxy chose a method of login that was not offered';

const logIn = async (attempt: Attempt, { credentials }: ProbeProxy): Promise<void> => {
  if (!credentials) throw new ProbeError('protocol', NOT_OFFERED);
  const { connection } = attempt;
  connection.write(
    Buffer.concat([Buffer.from([1]), field(credentials.username), field(credentials.password.reveal())]),
  );
  attempt.trace('>', () => ['SOCKS5: user name and password [masked]']);
  const status = await connection.read(loginReader());
  attempt.trace('<', () => [status === 0 ? 'SOCKS5: logged in' : `SOCKS5: login failed (status ${status})`]);
  if (status !== 0) throw refuseLogin(attempt, 'the proxy refuses the user name or password');
};

const field = (text: string): Buffer => {
  const bytes = Buffer.from(text);
  if (bytes.length > MAX_FIELD_BYTES) {
    throw new ProbeError(
      'credentials',
      'the user name or password is longer than the 255 bytes that SOCKS5 allows',
    );
  }
  return Buffer.concat([Buffer.from([bytes.length]), bytes]);
};

const refuseLogin = (attempt: Attempt, message: string): ProbeError => {
  attempt.findings.refusal = 'credentials';
  return new ProbeError('credentials', message);
};

/** A proxy that agreed to a method speaks SOCKS5. OpenSSH (`ssh -D`, 9.2) closes if it does not reach the target. */
const withoutReply = (error: unknown): unknown =>
  error instanceof ProbeError && (error.reason === 'closed' || error.reason === 'reset')
    ? new ProbeError('proxy_or_target', `${error.message} instead of a reply`)
    : error;

const askForTunnel = async (attempt: Attempt, host: string, port: number): Promise<void> => {
  const { connection, findings } = attempt;
  connection.write(
    Buffer.concat([Buffer.from([5, 1, 0]), addressBytes(host), Buffer.from([port >> 8, port & 0xff])]),
  );
  attempt.trace('>', () => [`SOCKS5: CONNECT ${host} port ${port}`]);
  const reply = await connection.read(replyReader()).catch((error) => {
    throw withoutReply(error);
  });
  attempt.trace('<', () => [`SOCKS5: reply ${reply}`]);
  findings.proxyAnswer = { status: reply, code: null, requestId: null };
  if (reply === 0) return;
  const { cause, refusal, message } = socksRefusalOf(reply);
  findings.refusal = refusal;
  throw new ProbeError(cause, message);
};

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

/** Returns the value and the length of the answer, or null while bytes are missing. */
type Parse = (bytes: Buffer) => readonly [value: number, length: number] | null;

/** The length of an address by its type; that of a name is its first byte. */
const ADDRESS_LENGTHS: Readonly<Record<number, number>> = { [IPV4]: 4, [IPV6]: 16 };

const readerOf = (parse: Parse): Reader<number> => {
  let received = Buffer.alloc(0);
  const take = (chunk: Buffer): Complete<number> | null => {
    received = Buffer.concat([received, chunk]);
    const parsed = parse(received);
    return parsed && complete(parsed[0], received.subarray(parsed[1]));
  };
  return { take, close: () => null };
};

/** Throws if the first byte is known and is none of these versions. */
const checkVersion = (bytes: Buffer, versions: readonly number[]): void => {
  const [version] = bytes;
  if (version !== undefined && !versions.includes(version)) throw notSocks();
};

const notSocks = (): ProbeError => new ProbeError('protocol', 'the answer is not SOCKS5');

/** Reads the second of two bytes; the first is one of these versions. */
const secondByteReader = (versions: readonly number[]): Reader<number> =>
  readerOf((bytes) => {
    checkVersion(bytes, versions);
    return bytes.length < 2 ? null : [bytes.readUInt8(1), 2];
  });

export const choiceReader = (): Reader<number> => secondByteReader([5]);

/** Reads the status of the login. Some proxies send the version of SOCKS instead of that of the login. */
export const loginReader = (): Reader<number> => secondByteReader([1, 5]);

/** Reads the reply to CONNECT. After a refusal, some proxies close before the whole reply is sent. */
export const replyReader = (): Reader<number> =>
  readerOf((bytes) => {
    checkVersion(bytes, [5]);
    if (bytes.length < 2) return null;
    const reply = bytes.readUInt8(1);
    if (reply !== 0) return [reply, bytes.length];
    if (bytes.length < 5) return null;
    const length = replyLength(bytes.readUInt8(3), bytes.readUInt8(4));
    return bytes.length < length ? null : [reply, length];
  });

const replyLength = (type: number, firstByte: number): number => {
  const length = type === DOMAIN ? 1 + firstByte : ADDRESS_LENGTHS[type];
  if (length === undefined) throw notSocks();
  return 4 + length + 2;
};
