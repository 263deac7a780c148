// Defines the schema of a small configuration with one of everything, for the tests of this folder.

import { z } from 'zod';
import {
  cronExpression,
  describeInvalidHttpUrl,
  duration,
  EXPECTED_HTTP_URL,
  httpUrl,
  isHttpUrl,
  listenAddress,
  objectWithSecrets,
  ratio,
  relativePath,
  secret,
  size,
  timeZone,
} from '../../src/config/primitives.ts';

const traffic = z.strictObject({
  schedule: cronExpression().default('* * * * *'),
  interval: z.enum(['minute', 'hour']).default('minute'),
  reread: duration().prefault('2h').describe('Trailing window read again on every poll'),
  window: duration({ min: 3_600_000, max: 86_400_000 }).prefault('24h'),
  concurrency: z.boolean().default(true),
});

const proxy = z.union([
  objectWithSecrets(
    { name: z.string(), proxy_id: z.string().optional() },
    { proxy: secret('host:port:user:pass') },
  ),
  z.strictObject({ service_id: z.string() }),
]);

const account = objectWithSecrets(
  {
    name: z.string().min(1),
    base_url: httpUrl().default('https://provider.example/1.0'),
    time_zone: timeZone().default('UTC'),
    requests_per_second: z.number().positive().max(100).default(8),
    traffic: z.union([z.literal(false), traffic]).prefault({}),
    urls: z.array(z.union([httpUrl(), z.strictObject({ name: z.string(), url: httpUrl() })])).default([]),
    proxies: z.array(proxy).default([]),
  },
  { public_key: secret(), private_key: secret(), password: secret().optional() },
);

const receiver = z.discriminatedUnion('type', [
  objectWithSecrets(
    { type: z.literal('webhook') },
    { url: secret(EXPECTED_HTTP_URL, isHttpUrl, describeInvalidHttpUrl) },
  ),
  z.strictObject({ type: z.literal('heartbeat'), every: duration() }),
]);

export const exampleSchema = z.strictObject({
  server: z.strictObject({ listen: listenAddress().prefault('127.0.0.1:9876') }).prefault({}),
  store: z
    .strictObject({
      path: relativePath().prefault('./data/proxywatch.db'),
      max_size: size().prefault('10GiB'),
    })
    .prefault({}),
  accounts: z
    .array(account)
    .min(1)
    .refine((accounts) => new Set(accounts.map(({ name }) => name)).size === accounts.length, {
      error: 'two accounts have the same name',
    }),
  thresholds: z.partialRecord(z.enum(['QuotaLow', 'TrafficLow']), ratio()).default({}),
  receivers: z.array(receiver).default([]),
});
