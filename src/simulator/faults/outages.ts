// Outages: proxies, testers and targets that are made to fail in proxy tests, for a time or on and off.

import { z } from 'zod';
import { holds, period } from './period.ts';

export const outageSchema = z.strictObject({
  kind: z.enum(['proxy', 'tester', 'target']),
  /** Proxy: host, host:port. Tester: its id. Target: host name or whole url. `*` is every one. */
  subject: z.string().min(1),
  ...period,
  error_source: z.string().nullable().default(null),
  error_code: z.string().nullable().default(null),
});

export type Outage = z.infer<typeof outageSchema>;

/** The outage that holds one of `names` of a `kind` at the instant `at`, if any. */
export const outageOf = (
  outages: readonly Outage[],
  kind: Outage['kind'],
  names: readonly string[],
  at: number,
): Outage | undefined =>
  outages.find(
    (outage) =>
      outage.kind === kind && (outage.subject === '*' || names.includes(outage.subject)) && holds(outage, at),
  );
