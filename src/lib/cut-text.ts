// Cuts texts to a length.

/** Returns at most the first `length` code units, without half a character at the end, which strict parsers refuse. */
export const cutText = (text: string, length: number): string =>
  text.slice(0, length).replace(/[\ud800-\udbff]$/, '');
