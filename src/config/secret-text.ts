// Cleans the text of a secret in one way, wherever it comes from: a file, an environment variable or the configuration.

/** Editors and `echo` end a text with one newline. */
export const withoutFinalNewline = (text: string): string => text.replace(/\r?\n$/, '');

/**
 * Describes, without the text, what surrounds a secret: a byte order mark or blanks, which no editor shows. Undefined if
 * there is nothing. `text` has no final newline.
 */
export const describeSurroundings = (text: string): string | undefined => {
  if (text.startsWith('\ufeff')) return 'a text with a byte order mark at its beginning; remove the mark';
  if (/^\s/.test(text)) return 'a text with a blank or a line break at its beginning; remove it';
  return /\s$/.test(text) ? 'a text with a blank or a line break at its end; remove it' : undefined;
};
