// Finds words in the list of proxies to test that the provider's documentation does not have.

import {
  PRODUCT_TYPE_WORDS,
  PROXY_FILTER_WORDS,
  proxyFilterValueWords,
} from '../../provider/documented-words.ts';
import { type UnknownWord, unknownWord } from '../unknown-words.ts';
import type { SourceOptions } from './entries.ts';

type Entry = SourceOptions['proxies'][number];

export const unknownWordsIn = ({ proxies }: SourceOptions): UnknownWord[] =>
  proxies.flatMap((entry, index) => unknownWordsOf(entry, ['proxies', index]));

const unknownWordsOf = (entry: Entry, path: UnknownWord['path']): UnknownWord[] => {
  if ('proxy' in entry) return unknownWord(PRODUCT_TYPE_WORDS, entry.product_type, [...path, 'product_type']);
  if (!('search' in entry)) return [];
  return Object.entries(entry.search).flatMap(([filter, value]) => {
    const vocabulary = proxyFilterValueWords(filter);
    const filterPath = [...path, 'search', filter];
    return [
      ...unknownWord(PROXY_FILTER_WORDS, filter, filterPath),
      ...(vocabulary ? unknownWord(vocabulary, value, filterPath) : []),
    ];
  });
};
