// Computes the CRC-32 of two concatenated texts from the CRCs of both, without reading the texts again.

// The numbers are polynomials over GF(2) modulo that of the CRC, with reversed bits: x^0 is the highest bit. This is the
// method of zlib's crc32_combine.
const MODULUS = 0xedb88320;
const ONE = 0x80000000;
const X = 0x40000000;

/** Returns the CRC-32 of the concatenation of A and B, given the CRCs of both and the length of B in bytes. */
export const combineCrc32 = (crcA: number, crcB: number, lengthB: number): number =>
  (multiply(powerOfX(lengthB * 8), crcA) ^ crcB) >>> 0;

/** Computes x^exponent by squaring. It divides instead of shifting, because eight times a length may exceed 32 bits. */
const powerOfX = (exponent: number): number => {
  let power = ONE;
  let square = X;
  for (let rest = exponent; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) power = multiply(square, power);
    square = multiply(square, square);
  }
  return power;
};

const multiply = (a: number, b: number): number => {
  let product = 0;
  let shifted = b;
  for (let bit = ONE; bit !== 0; bit >>>= 1) {
    if (a & bit) product ^= shifted;
    shifted = shifted & 1 ? (shifted >>> 1) ^ MODULUS : shifted >>> 1;
  }
  return product >>> 0;
};
