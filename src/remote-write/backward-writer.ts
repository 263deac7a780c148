// Writes a protobuf message from its end to its start, so that the length of each nested message is known when it is
// written.

const VARINT = 0;
const FIXED_64 = 1;
const LENGTH_DELIMITED = 2;
const MAX_VARINT_BYTES = 10;
/** A code unit of a string has at most three bytes in UTF-8. */
const MAX_CHARACTER_BYTES = 3;

/** The most bytes that a field with a number or with a nested message's tag and length takes. */
export const MAX_FIELD_BYTES = 1 + MAX_VARINT_BYTES;

export const maxTextBytes = (text: string): number => MAX_FIELD_BYTES + MAX_CHARACTER_BYTES * text.length;

export class BackwardWriter {
  readonly #bytes: Buffer;
  #start: number;

  constructor(maxBytes: number) {
    this.#bytes = Buffer.allocUnsafe(maxBytes);
    this.#start = maxBytes;
  }

  get written(): Buffer {
    return this.#bytes.subarray(this.#start);
  }

  text(field: number, text: string): void {
    const end = this.#start;
    if (!this.#ascii(text)) {
      this.#start -= Buffer.byteLength(text);
      this.#bytes.write(text, this.#start);
    }
    this.#endField(field, LENGTH_DELIMITED, end);
  }

  /** Writes a nested message. `write` writes its fields, also from the last to the first. */
  message(field: number, write: () => void): void {
    const end = this.#start;
    write();
    this.#endField(field, LENGTH_DELIMITED, end);
  }

  double(field: number, value: number): void {
    this.#start -= 8;
    this.#bytes.writeDoubleLE(value, this.#start);
    this.#varint(field * 8 + FIXED_64);
  }

  /** Writes a signed whole number. */
  int64(field: number, value: number): void {
    this.#varint(value);
    this.#varint(field * 8 + VARINT);
  }

  /** Returns false if the text has other characters. For short texts, this is faster than the functions of Buffer. */
  #ascii(text: string): boolean {
    const start = this.#start - text.length;
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      if (code > 127) return false;
      this.#bytes[start + index] = code;
    }
    this.#start = start;
    return true;
  }

  #endField(field: number, type: number, end: number): void {
    this.#varint(end - this.#start);
    this.#varint(field * 8 + type);
  }

  #varint(value: number): void {
    if (value < 0) {
      const digits = digitsOfNegative(value);
      this.#start -= digits.length;
      this.#bytes.set(digits, this.#start);
    } else this.#positive(value);
  }

  /** Writes the digits in place: most of the message is numbers. Bitwise operators would cut a time in ms to 32 bits. */
  #positive(value: number): void {
    const last = this.#start - 1;
    for (let limit = 128; value >= limit; limit *= 128) this.#start -= 1;
    this.#start -= 1;
    let rest = value;
    for (let at = this.#start; at < last; at += 1) {
      this.#bytes[at] = (rest % 128) + 128;
      rest = Math.floor(rest / 128);
    }
    this.#bytes[last] = rest;
  }
}

/** Protobuf writes a negative number as two's complement of 64 bits, which always takes ten bytes. */
const digitsOfNegative = (value: number): number[] => {
  const complement = BigInt.asUintN(64, BigInt(value));
  return Array.from({ length: MAX_VARINT_BYTES }, (_, index) => {
    const digit = Number((complement >> BigInt(7 * index)) & 127n);
    return index < MAX_VARINT_BYTES - 1 ? digit + 128 : digit;
  });
};
