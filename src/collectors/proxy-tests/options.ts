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
  objectWithSecrets({ name: z.string().min(1).optional() }, { url: url() }),
  url().transform((address): { name?: string | undefined; url: Secret } => ({ url: address })),
]);

const protocol = z.enum(['http', 'socks5']).default('http').describe('Spoken with the proxies');

const proxyUserId = z
  .string()
  .min(1)
  .optional()
  .describe('The proxy user that the tests are made as; the proxies’ default user when none is given');

const fileEntry = z.strictObject({
  file: relativePath().describe('Lists of proxies, or a glob of some; read again when they change'),
});

const serviceEntry = z.strictObject({
  service_id: z.string().min(1).describe('A purchased service, whose proxies are tested'),
  protocol,
  proxy_user_id: proxyUserId,
});

const searchEntry = z.strictObject({
  search: z
    .record(z.string(), z.union([z.string().min(1), z.number(), z.boolean()]))
    .describe('Fields of the account’s proxies, by the provider’s names, and the values wanted'),
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
  schedule: cronExpression().default('*/10 * * * *'),
  urls: z
    .array(testUrl)
    .min(1, 'expected at least one url to test against')
    .describe('Addresses to test against'),
  tester_servers: z.array(z.string().min(1)).default([]).describe('Tester servers; all when none is given'),
  request_timeout: duration({ max: 10 * MINUTE })
    .prefault('2m')
    .describe('Results come in the same answer'),
  parallel: z.int().min(1).max(10).default(2).describe('Calls in flight'),
  max_runs_per_day: z
    .int()
    .min(1)
    .default(4500)
    .describe('Test runs in any 24 hours; the provider allows 5,000'),
  series: z
    .enum(['matrix', 'proxy'])
    .default('matrix')
    .describe('Series for each proxy × url × tester, or each proxy'),
  max_series: z
    .int()
    .min(1)
    .default(100_000)
    .describe('Above it the matrix falls back to one series a proxy'),
  fault_after: z.int().min(1).max(8).default(2).describe('Failing rounds before a proxy is blamed'),
  discover_every: duration({ min: MINUTE })
    .prefault('1h')
    .describe('How old what the provider said of services and searches may be at a round'),
  proxies: z.array(entry).default([]).describe('Proxies to test, and where to find them'),
});

export type ProxyTestOptions = z.infer<typeof proxyTestOptions>;
/** An entry that names a source of proxies instead of one proxy. */
export type SourceEntry = Exclude<ProxyTestOptions['proxies'][number], ProxyEntry>;
export type FileEntry = z.infer<typeof fileEntry>;
export type ServiceEntry = z.infer<typeof serviceEntry>;
export type SearchEntry = z.infer<typeof searchEntry>;
