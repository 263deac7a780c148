// Defines the configuration schema of the proxy tests.

import { z } from 'zod';
import { cronExpression, duration, objectWithSecrets } from '../../config/primitives.ts';
import type { Secret } from '../../lib/secret.ts';
import { MINUTE } from '../../lib/time.ts';
import { proxyEntries } from '../proxy-sources/entries.ts';
import { httpUrl, targetName } from '../url-label.ts';

const testUrl = z.union([
  objectWithSecrets({ name: targetName }, { url: httpUrl().describe('URL of the target') }),
  httpUrl().transform((url): { name?: string | undefined; url: Secret } => ({ url })),
]);

export const proxyTestOptions = z.strictObject({
  schedule: cronExpression().default('*/10 * * * *').describe('Schedule for testing the proxies'),
  urls: z
    .array(testUrl)
    .min(1, 'expected at least one url to test against')
    .describe('Targets for every proxy'),
  tester_servers: z
    .array(z.string().min(1))
    .default([])
    .describe('Ids of testers. An empty list means all testers'),
  request_timeout: duration({ max: 10 * MINUTE })
    .prefault('2m')
    .describe('Time limit of one test call. The answer to the call contains the results'),
  parallel: z.int().min(1).max(10).default(2).describe('Maximum number of test calls at the same time'),
  max_runs_per_day: z
    .int()
    .min(1)
    .default(4500)
    .describe(
      'Run budget: maximum number of test runs in any period of 24 hours. The provider allows 5,000 test runs a day',
    ),
  series: z
    .enum(['matrix', 'proxy'])
    .default('matrix')
    .describe('matrix: a series for each proxy, URL and tester. proxy: a series for each proxy'),
  max_series: z
    .int()
    .min(1)
    .default(100_000)
    .describe(
      'Maximum number of series of the matrix. If the matrix would have more series, proxywatch shows one series for each proxy',
    ),
  fault_after: z
    .int()
    .min(1)
    .max(8)
    .default(2)
    .describe('Number of rounds in a row in which a proxy must fail before the proxy is at fault'),
  discover_every: duration({ min: MINUTE })
    .prefault('1h')
    .describe('Time after which proxywatch reads the services and searches in proxies again to find proxies'),
  proxies: proxyEntries().describe('Proxies to test, and sources of proxies'),
});

export type ProxyTestOptions = z.infer<typeof proxyTestOptions>;
