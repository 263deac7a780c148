// The configuration of the proxy tests.

import { z } from 'zod';
import {
  cronExpression,
  duration,
  HTTP_URL,
  isHttpUrl,
  secret,
  withFileTwins,
} from '../../config/primitives.ts';
import type { Secret } from '../../lib/secret.ts';
import { MINUTE } from '../../lib/time.ts';
import { parseProxyLine } from './proxy-line.ts';

/** Addresses to test against may hold tokens, so that each is a secret with a name to be shown by. */
const url = () => secret(HTTP_URL, isHttpUrl);

const testUrl = z.union([
  withFileTwins({ name: z.string().min(1).optional() }, { url: url() }),
  url().transform((address): { name?: string | undefined; url: Secret } => ({ url: address })),
]);

const proxy = withFileTwins(
  {
    name: z.string().min(1).optional(),
    proxy_id: z.string().min(1).optional(),
    product_type: z.string().min(1).optional(),
  },
  {
    proxy: secret(
      'a proxy such as host:port:username:password',
      (text) => !('error' in parseProxyLine(text)),
    ),
  },
);

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
  proxies: z.array(proxy).default([]).describe('Proxies to test'),
});

export type ProxyTestOptions = z.infer<typeof proxyTestOptions>;
