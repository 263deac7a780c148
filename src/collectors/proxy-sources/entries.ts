// Defines the configuration schema of a list of proxies: single proxies, and sources of proxies.

import { z } from 'zod';
import { relativePath } from '../../config/primitives.ts';
import { type ProxyEntry, probeEntry, proxyEntry } from './proxy-entry.ts';

const protocol = z.enum(['http', 'socks5']).default('http').describe('Protocol of the tests');

const proxyUserId = z
  .string()
  .min(1)
  .optional()
  .describe('Proxy user of the tests. The default is the default user of each proxy');

const fileEntry = z.strictObject({
  file: relativePath().describe(
    'Path or glob of files with lists of proxies. proxywatch reads a file again when the file changes',
  ),
});

const serviceEntry = z.strictObject({
  service_id: z
    .string()
    .min(1)
    .describe('Service. proxywatch tests the proxies of this service that are in use'),
  protocol,
  proxy_user_id: proxyUserId,
});

const searchEntry = z.strictObject({
  search: z
    .record(z.string(), z.union([z.string().min(1), z.number(), z.boolean()]))
    .describe(
      'Filters of the provider, with one value each. proxywatch tests the account’s proxies that match all filters. If you write not_ before a filter, the proxies with this value do not match',
    ),
  protocol,
  proxy_user_id: proxyUserId,
});

const ENTRY_KEYS = ['proxy', 'proxy_file', 'file', 'service_id', 'search'];

const isSomeEntry = (entry: unknown): boolean =>
  typeof entry === 'object' && entry !== null && ENTRY_KEYS.some((key) => key in entry);

/** The key of an entry alone decides which of the four forms it has. */
const error = ({ input }: { readonly input?: unknown }): string | undefined =>
  isSomeEntry(input) ? undefined : `expected a map with one of ${ENTRY_KEYS.join(', ')}`;

const entry = z.union([proxyEntry, fileEntry, serviceEntry, searchEntry], { error });

const probedFileEntry = fileEntry.transform((file) => ({ ...file, isProbed: true as const }));
const probedEntry = z.union([probeEntry, probedFileEntry, serviceEntry, searchEntry], { error });

/** The schema of the list; empty if not given. */
export const proxyEntries = () => z.array(entry).prefault([]);

/** The same for proxies that proxywatch probes itself. */
export const probedEntries = () => z.array(probedEntry);

type Entries = readonly (ProxyEntry | FileEntry | ServiceEntry | SearchEntry)[];

/** The options of a collector that has such a list. */
export interface SourceOptions {
  readonly proxies: Entries;
}

/** Returns the entries as those of own probes: one object for the same entries, as what is read of them is cached for it. */
export const asProbed = (entries: Entries): Entries => {
  const known = probed.get(entries);
  if (known) return known;
  const made = entries.map((entry) =>
    'proxy' in entry || 'file' in entry ? { ...entry, isProbed: true as const } : entry,
  );
  probed.set(entries, made);
  return made;
};

const probed = new WeakMap<Entries, Entries>();

/** An entry that names a source of proxies instead of one proxy. */
export type SourceEntry = Exclude<Entries[number], ProxyEntry>;
export type FileEntry = z.infer<typeof fileEntry> & {
  /** Whether proxywatch connects to the proxies of the file itself. */
  readonly isProbed?: boolean;
};
export type ServiceEntry = z.infer<typeof serviceEntry>;
export type SearchEntry = z.infer<typeof searchEntry>;
