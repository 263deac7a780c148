// Makes texts of the provider safe for logs, pages and the store.

import { containsSecret, secretVariants } from './secret-search.ts';

/** This text replaces a message that repeats a secret. */
export const HIDDEN_MESSAGE = "the provider's message is not shown because it quotes credentials";

const MAX_QUOTE_LENGTH = 300;
/** Text beyond this length is never shown, so it is not searched. */
const MAX_READ_LENGTH = 20_000;

/**
 * Returns the text as one line of limited length, without the query, user and password of any URL. If the text contains
 * a secret of the request (`secrets`) in any form, none of it is shown, because cutting out a short password would make
 * the rest unreadable.
 */
export const quotedText = (text: string, secrets: readonly string[]): string => {
  const searched = text.slice(0, MAX_READ_LENGTH);
  if (containsSecret(searched, secretVariants(secrets))) return HIDDEN_MESSAGE;
  const oneLine = searched.replaceAll(/[\p{C}\s]+/gu, ' ').trim();
  const redacted = oneLine.split(' ').map(withoutLogin).join(' ').replaceAll(/\?\S+/g, '?…');
  return redacted.length > MAX_QUOTE_LENGTH ? `${cutText(redacted, MAX_QUOTE_LENGTH)}…` : redacted;
};

/** The last `@` ends the login, because a password can contain one. A text of slashes takes a regular expression seconds. */
const withoutLogin = (word: string): string => {
  const [start, end] = [word.indexOf('//'), word.lastIndexOf('@')];
  return start >= 0 && end > start ? `${word.slice(0, start)}//${word.slice(end + 1)}` : word;
};

/** Returns at most the first `length` code units, without half a character at the end, which strict parsers refuse. */
export const cutText = (text: string, length: number): string =>
  text.slice(0, length).replace(/[\ud800-\udbff]$/, '');
