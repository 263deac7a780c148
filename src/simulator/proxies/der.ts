// Encodes values in DER, the binary format of certificates.

const element = (tag: number, ...parts: readonly Uint8Array[]): Buffer => {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag]), lengthOf(content.length), content]);
};

/** Lengths from 128 are preceded by the number of their bytes. */
const lengthOf = (length: number): Buffer => {
  if (length < 0x80) return Buffer.from([length]);
  const hex = length.toString(16);
  const bytes = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
  return Buffer.concat([Buffer.from([0x80 | bytes.length]), bytes]);
};

export const sequence = (...parts: readonly Uint8Array[]): Buffer => element(0x30, ...parts);
export const set = (...parts: readonly Uint8Array[]): Buffer => element(0x31, ...parts);
export const octets = (...parts: readonly Uint8Array[]): Buffer => element(0x04, ...parts);
export const boolean = (value: boolean): Buffer => element(0x01, Buffer.from([value ? 0xff : 0]));
export const text = (value: string): Buffer => element(0x0c, Buffer.from(value));
/** `bytes` is the number in big-endian order. The first byte is from 1 to 127. */
export const integer = (bytes: Uint8Array): Buffer => element(0x02, bytes);
export const bits = (content: Uint8Array, unusedBits = 0): Buffer =>
  element(0x03, Buffer.from([unusedBits]), content);
/** A field with number `tag` that contains other elements. */
export const tagged = (tag: number, ...parts: readonly Uint8Array[]): Buffer => element(0xa0 | tag, ...parts);
/** A field with number `tag` whose content is bytes. */
export const taggedBytes = (tag: number, content: Uint8Array): Buffer => element(0x80 | tag, content);

/** A time (ms) in seconds. */
export const time = (at: number): Buffer =>
  element(0x18, Buffer.from(`${new Date(at).toISOString().slice(0, 19).replaceAll(/[-:T]/g, '')}Z`));

/** For example `2.5.29.15`. */
export const objectId = (dotted: string): Buffer => {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return element(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
};

const base128 = (value: number): number[] => {
  const digits = [value & 0x7f];
  for (let left = value >>> 7; left > 0; left >>>= 7) digits.unshift((left & 0x7f) | 0x80);
  return digits;
};
