// Collects the lines of a family as bytes. As strings, the lines of 100,000 users would be 100 MB of garbage.

const FIRST_BYTES = 1_024;
/** The most bytes that one character of a JavaScript string has in UTF-8. */
const BYTES_PER_CHARACTER = 3;
/** No number is longer as text. */
const NUMBER_BYTES = 32;
const [SPACE, NEWLINE, ZERO] = [0x20, 0x0a, 0x30];

export class LineBuffer {
  #bytes = Buffer.alloc(0);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Adds the line `<name><labels> <value>`. */
  addSample(name: Uint8Array, labels: string, value: number): void {
    this.#reserve(name.length + labels.length * BYTES_PER_CHARACTER + NUMBER_BYTES);
    this.#bytes.set(name, this.#length);
    this.#length += name.length;
    this.#length += this.#bytes.write(labels, this.#length);
    this.#addByte(SPACE);
    this.#addNumber(value);
    this.#addByte(NEWLINE);
  }

  addText(text: string): void {
    this.#reserve(text.length * BYTES_PER_CHARACTER);
    this.#length += this.#bytes.write(text, this.#length);
  }

  /** Returns the collected bytes and starts again with none. The next line overwrites the returned bytes. */
  take(): Buffer {
    const taken = this.#bytes.subarray(0, this.#length);
    this.#length = 0;
    return taken;
  }

  #reserve(bytes: number): void {
    const wanted = this.#length + bytes;
    if (wanted <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(FIRST_BYTES, wanted, 2 * this.#bytes.length));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }

  #addByte(byte: number): void {
    this.#bytes[this.#length] = byte;
    this.#length += 1;
  }

  /** Whole numbers are written digit by digit, which makes no garbage. */
  #addNumber(value: number): void {
    if (!Number.isSafeInteger(value) || value < 0) {
      this.#length += this.#bytes.write(String(value), this.#length);
      return;
    }
    let digits = 1;
    for (let rest = value; rest >= 10; rest = Math.floor(rest / 10)) digits += 1;
    this.#length += digits;
    for (let at = this.#length - 1, rest = value; digits > 0; at -= 1, digits -= 1) {
      const tenth = Math.floor(rest / 10);
      this.#bytes[at] = ZERO + (rest - 10 * tenth);
      rest = tenth;
    }
  }
}
