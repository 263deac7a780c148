// Defines the configuration schema of the proxy tests.

import { z } from 'zod';
import {
  cronExpression,
  describeInvalidHttpUrl,
  duration,
  EXPECTED_HTTP_URL,
  isHttpUrl,
  objectWithSecrets,
  relativePath,
  secret,
} from '../../config/primitives.ts';
import type { Secret } from '../../lib/secret.ts';
import { MINUTE } from '../../lib/time.ts';
import { type ProxyEntry, proxyEntry } from './sources/proxy-entry.ts';

/** A url to test against may contain a token, so it is a secret and is shown by its name. */
const url = () => secret(EXPECTED_HTTP_URL, isHttpUrl, describeInvalidHttpUrl);

const testUrl = z.union([
  objectWithSecrets(
    {
      name: z
        .string()
        .min(1)
        .optional()
        .describe(
          'Name of the target, and its label `url`. The default is the URL without query and fragment',
        ),
    },
    { url: url().describe('URL to test against') },
  ),
  url().transform((address): { name?: string | undefined; url: Secret } => ({ url: address })),
]);

const protocol = z
  .enum(['http', 'socks5'])
  .default('http')
  .describe('Protocol with which the proxies are tested');

const proxyUserId = z
  .string()
  .min(1)
  .optional()
  .describe('Proxy user whose login the tests use. The default is the default user of each proxy');

const fileEntry = z.strictObject({
  file: relativePath().describe(
    'Path or glob of files with lists of proxies. They are read again when they change',
  ),
});

const serviceEntry = z.strictObject({
  service_id: z.string().min(1).describe('Service whose proxies are tested'),
  protocol,
  proxy_user_id: proxyUserId,
});

const searchEntry = z.strictObject({
  search: z
    .record(z.string(), z.union([z.string().min(1), z.number(), z.boolean()]))
    .describe('Fields of the account’s proxies by the provider’s names, with the values that they must have'),
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

export const proxyTestOptions = z.strictObject({
  schedule: cronExpression().default('*/10 * * * *').describe('When a round of tests begins'),
  urls: z
    .array(testUrl)
    .min(1, 'expected at least one url to test against')
    .describe('URLs that every proxy is tested against'),
  tester_servers: z
    .array(z.string().min(1))
    .default([])
    .describe('Ids of testers. An empty list means all testers'),
  request_timeout: duration({ max: 10 * MINUTE })
    .prefault('2m')
    .describe('Time limit of one test call. Its answer contains the results'),
  parallel: z.int().min(1).max(10).default(2).describe('How many test calls may run at the same time'),
  max_runs_per_day: z
    .int()
    .min(1)
    .default(4500)
    .describe('Run budget: test runs in any 24 hours. The provider allows 5,000 a day'),
  series: z
    .enum(['matrix', 'proxy'])
    .default('matrix')
    .describe('matrix: one series for each proxy, URL and tester. proxy: one for each proxy'),
  max_series: z
    .int()
    .min(1)
    .default(100_000)
    .describe('A matrix with more series than this is shown as one series for each proxy'),
  fault_after: z
    .int()
    .min(1)
    .max(8)
    .default(2)
    .describe('How many rounds in a row must fail before a proxy is at fault'),
  discover_every: duration({ min: MINUTE })
    .prefault('1h')
    .describe('How often services and searches are read again to find proxies'),
  proxies: z.array(entry).prefault([]).describe('Proxies to test, and sources in which to find them'),
});

export type ProxyTestOptions = z.infer<typeof proxyTestOptions>;
/** An entry that names a source of proxies instead of one proxy. */
export type SourceEntry = Exclude<ProxyTestOptions['proxies'][number], ProxyEntry>;
export type FileEntry = z.infer<typeof fileEntry>;
export type ServiceEntry = z.infer<typeof serviceEntry>;
export type SearchEntry = z.infer<typeof searchEntry>;
