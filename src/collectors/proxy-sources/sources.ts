// Creates the sources of proxies that the configuration names.

import type { SourceEntry, SourceOptions } from './entries.ts';
import { fileSource } from './file-source.ts';
import { searchSource } from './search-source.ts';
import { serviceSource } from './service-source.ts';
import type { ProxySource } from './source.ts';

/** Every call creates new sources, which have not been read yet. */
export const sourcesOf = ({ proxies }: SourceOptions): ProxySource[] =>
  proxies.flatMap((entry) => ('proxy' in entry ? [] : [sourceOf(entry)]));

export const sourceOf = (entry: SourceEntry): ProxySource => {
  if ('file' in entry) return fileSource(entry);
  return 'search' in entry ? searchSource(entry) : serviceSource(entry);
};
