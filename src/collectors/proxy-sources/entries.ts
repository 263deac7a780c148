// Defines the configuration schema of a list of proxies: single proxies, and sources of proxies.

import { z } from 'zod';
import { relativePath } from '../../config/primitives.ts';
import { type ProxyEntry, proxyEntry } from './proxy-entry.ts';

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
const entry = z.union([proxyEntry, fileEntry, serviceEntry, searchEntry], {
  error: ({ input }) =>
    isSomeEntry(input) ? undefined : `expected a map with one of ${ENTRY_KEYS.join(', ')}`,
});

/** The schema of the list; empty if not given. */
export const proxyEntries = () => z.array(entry).prefault([]);

type Entries = z.output<ReturnType<typeof proxyEntries>>;

/** The options of a collector that has such a list. */
export interface SourceOptions {
  readonly proxies: Entries;
}

/** An entry that names a source of proxies instead of one proxy. */
export type SourceEntry = Exclude<Entries[number], ProxyEntry>;
export type FileEntry = z.infer<typeof fileEntry>;
export type ServiceEntry = z.infer<typeof serviceEntry>;
export type SearchEntry = z.infer<typeof searchEntry>;
