// Checks how large the values of a JSON text will be, before they are parsed: a text of a megabyte may need hundreds.

/** Documented answers have 5 levels. The metadata of services and users may have some more. */
const MAX_DEPTH = 64;
/** Documented answers have more than 20 bytes for each value, with its name. */
const MIN_BYTES_PER_VALUE = 16;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_MAP, CLOSE_MAP] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Returns what makes the values too large, as the end of a sentence; undefined if nothing does. `limit` is the most bytes
 * that the text may have.
 */
export const excessOf = (text: Buffer, limit: number): string | undefined => {
  const maxValues = Math.floor(limit / MIN_BYTES_PER_VALUE);
  let [depth, values] = [0, 0];
  for (let at = 0; at < text.length; at += 1) {
    const byte = text[at];
    if (byte === QUOTE) at = endOfString(text, at);
    else if (byte === COMMA) values += 1;
    else if (byte === OPEN_LIST || byte === OPEN_MAP) {
      depth += 1;
      values += 1;
      if (depth > MAX_DEPTH) return `has more than ${MAX_DEPTH} nested levels`;
    } else if (byte === CLOSE_LIST || byte === CLOSE_MAP) depth -= 1;
    if (values > maxValues) return `has more than ${maxValues} values`;
  }
  return undefined;
};

/** Returns the position of the quote that ends the string which begins at `start`. */
const endOfString = (text: Buffer, start: number): number => {
  let at = start + 1;
  while (at < text.length && text[at] !== QUOTE) at += text[at] === BACKSLASH ? 2 : 1;
  return at;
};
