// The provider's own words, fit for logs, pages and the store.

import { needlesOf, occursIn } from './credentials.ts';

/** Replaces a message that repeats a secret. */
export const WITHHELD = "the provider's message is not shown because it quotes credentials";

const MAX_QUOTE_LENGTH = 300;
/** Text after this length is never shown, so it is not searched. */
const MAX_READ_LENGTH = 20_000;

/**
 * One bounded line, without the query, user and password of any URL. Where a secret of the request (`secrets`) occurs
 * in the text in any form, none of the text is shown: cutting out a short password would make the rest unreadable.
 */
export const quote = (text: string, secrets: readonly string[]): string => {
  const read = text.slice(0, MAX_READ_LENGTH);
  if (occursIn(read, needlesOf(secrets))) return WITHHELD;
  const oneLine = read.replaceAll(/[\p{C}\s]+/gu, ' ').trim();
  const bare = oneLine.replaceAll(/\/\/\S*@/g, '//').replaceAll(/\?\S+/g, '?…');
  return bare.length > MAX_QUOTE_LENGTH ? `${bare.slice(0, MAX_QUOTE_LENGTH)}…` : bare;
};
