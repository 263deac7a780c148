// Computes the CRC-32 of concatenated texts from the CRCs of the single texts, without reading the texts again.

// The numbers are polynomials over GF(2) modulo that of the CRC, with reversed bits: x^0 is the highest bit. This is the
// method of zlib's crc32_combine.
const MODULUS = 0xedb88320;
const ONE = 0x80000000;
const X_TO_8 = 0x00800000;

/** Returns the CRC-32 of the concatenation of A and B, given the CRCs of both and the shift of B. */
export const combineCrc32 = (crcA: number, crcB: number, shiftB: number): number =>
  (multiply(shiftB, crcA) ^ crcB) >>> 0;

/** Returns the shift of a text: x^(8 * length), with its length in bytes. */
export const shiftOf = (length: number): number => {
  let shift = ONE;
  let [rest, place] = [length, 0];
  // It divides instead of shifting, because a length may exceed 32 bits.
  for (; rest > 0; [rest, place] = [Math.floor(rest / 2), place + 1])
    if (rest % 2 === 1) shift = multiply(POWERS[place] ?? ONE, shift);
  return shift;
};

/**
 * Multiplies two polynomials. A mask of all bits or none takes the place of each condition, because a processor cannot
 * predict the bits of a CRC.
 */
const multiply = (a: number, b: number): number => {
  let product = 0;
  let shifted = b;
  for (let place = 31; place >= 0; place -= 1) {
    product ^= shifted & -((a >>> place) & 1);
    shifted = (shifted >>> 1) ^ (MODULUS & -(shifted & 1));
  }
  return product >>> 0;
};

/** The shifts of texts of 1, 2, 4, 8 bytes and so on, up to the longest whose length is a safe integer. */
const POWERS: readonly number[] = (() => {
  const powers = [X_TO_8];
  for (let last = X_TO_8; powers.length < 53; powers.push(last)) last = multiply(last, last);
  return powers;
})();
