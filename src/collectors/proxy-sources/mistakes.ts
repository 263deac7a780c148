// Finds mistakes in a configured list of proxies: entries with the same label, invalid lines in files, and unknown words.

import {
  PRODUCT_TYPE_WORDS,
  PROXY_FILTER_WORDS,
  proxyFilterValueWords,
} from '../../provider/documented-words.ts';
import type { Conflict } from '../collector.ts';
import { type UnknownWord, unknownWord } from '../unknown-words.ts';
import type { SourceOptions } from './entries.ts';
import { proxyOf } from './proxy-entry.ts';
import { sourceOf } from './sources.ts';

export const proxyMistakes = ({ proxies }: SourceOptions): Conflict[] => [
  ...duplicates('proxies', proxies.map(describeEntry)),
  ...proxies.flatMap((entry, index) =>
    'proxy' in entry
      ? []
      : sourceOf(entry)
          .preview()
          .mistakes.map((message) => ({ path: ['proxies', index], message })),
  ),
];

const describeEntry = (entry: SourceOptions['proxies'][number]): string =>
  'proxy' in entry ? `the proxy "${proxyOf(entry)[0]?.proxy.id}"` : `the source "${sourceOf(entry).name}"`;

/** `labels` describe the entries in their order, such as `the url "shop"`. */
export const duplicates = (section: string, labels: readonly string[]): Conflict[] =>
  labels.flatMap((label, index) =>
    labels.indexOf(label) === index
      ? []
      : [{ path: [section, index], message: `${label} is configured twice; give this one another name` }],
  );

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
