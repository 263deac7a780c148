// Quotes the answers of receivers, without secrets.

import { HIDDEN_MESSAGE, quotedText } from './quoted-text.ts';

/** This text replaces an answer that repeats a secret. */
const HIDDEN_ANSWER = 'the answer is not shown because it quotes credentials';
/** Shorter parts of a path are words. */
const MIN_TOKEN_LENGTH = 8;

/**
 * Returns the answer as one line, unless it quotes one of the secrets, or a token in the path of an address. Returns
 * undefined for an empty answer.
 */
export const quotedAnswer = (text: string, secrets: readonly string[]): string | undefined => {
  const tokens = secrets.flatMap((secret) => URL.parse(secret)?.pathname.split(/[/:]/) ?? []);
  const quoted = quotedText(text, [...secrets, ...tokens.filter(({ length }) => length >= MIN_TOKEN_LENGTH)]);
  return quoted === HIDDEN_MESSAGE ? HIDDEN_ANSWER : quoted || undefined;
};
