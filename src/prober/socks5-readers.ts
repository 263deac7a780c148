// Reads the three answers of a SOCKS5 proxy.

import { ProbeError } from './probe-error.ts';
import { type Complete, complete, type Reader } from './reader.ts';

/** Returns the value and the length of the answer, or null while bytes are missing. */
type Parse = (bytes: Buffer) => readonly [value: number, length: number] | null;

/** The length of an address by its type; that of a name is its first byte. */
const ADDRESS_LENGTHS: Readonly<Record<number, number>> = { 1: 4, 4: 16 };
const DOMAIN = 3;

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

/** Reads the method that the proxy chose. */
export const choiceReader = (): Reader<number> =>
  readerOf((bytes) => {
    checkVersion(bytes, [5]);
    return bytes.length < 2 ? null : [bytes.readUInt8(1), 2];
  });

/** Reads the status of the login. Some proxies send the version of SOCKS instead of that of the login. */
export const loginReader = (): Reader<number> =>
  readerOf((bytes) => {
    checkVersion(bytes, [1, 5]);
    return bytes.length < 2 ? null : [bytes.readUInt8(1), 2];
  });

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
