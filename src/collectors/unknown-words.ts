// Finds words in settings that the provider's documentation does not have. They may be right, so they are no mistakes.

import { closestMatch } from '../config/closest-match.ts';
import type { Vocabulary } from '../provider/documented-words.ts';

export interface UnknownWord {
  readonly path: readonly (string | number)[];
  readonly word: string;
  readonly vocabulary: Vocabulary;
}

/** Returns the word if it is given and the documentation does not have it. */
export const unknownWord = (
  vocabulary: Vocabulary,
  word: unknown,
  path: UnknownWord['path'],
): UnknownWord[] => (typeof word === 'string' && !vocabulary.has(word) ? [{ path, word, vocabulary }] : []);

/** Describes the word, with a suggestion if there is one. A word that must not be shown is neither quoted nor translated. */
export const describeUnknownWord = (
  { word, vocabulary }: Pick<UnknownWord, 'word' | 'vocabulary'>,
  isShown = true,
): string => {
  const subject = isShown ? JSON.stringify(word) : 'a value from the environment';
  const suggestions = isShown ? suggestionsFor(word, vocabulary) : [];
  const { name, form } = vocabulary;
  const expected = form === undefined ? '' : ` (${form})`;
  const question = suggestions.length === 0 ? expected : `; did you mean ${joinQuoted(suggestions)}?`;
  return `${subject} is not a ${name} in the provider's documentation${question}`;
};

/** A list of more words is too long for a message. */
const MAX_SUGGESTIONS = 6;

const suggestionsFor = (word: string, { words = [], translate }: Vocabulary): readonly string[] => {
  const meant = translate?.(word) ?? closestMatch(word, words);
  if (meant !== undefined) return [meant];
  return words.length <= MAX_SUGGESTIONS ? words : [];
};

const joinQuoted = (words: readonly string[]): string => {
  const quoted = words.map((word) => JSON.stringify(word));
  return quoted.length < 2 ? quoted.join('') : `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`;
};
