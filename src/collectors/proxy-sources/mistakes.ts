// Finds mistakes in a configured list of proxies: entries with the same label, and invalid lines in files.

import type { Conflict } from '../collector.ts';
import { duplicates } from '../duplicates.ts';
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
