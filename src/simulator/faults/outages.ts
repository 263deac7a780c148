// Defines outages: proxies, testers and targets that fail in proxy tests, for a period or on and off.

import { z } from 'zod';
import { isActive, periodFields } from './runtime-list.ts';

export const outageSchema = z.strictObject({
  kind: z.enum(['proxy', 'tester', 'target']),
  /** Proxy: its host or host:port. Tester: its id. Target: its host name or whole URL. `*` matches all. */
  subject: z.string().min(1),
  ...periodFields,
  error_source: z.string().nullable().default(null),
  error_code: z.string().nullable().default(null),
});

export type Outage = z.infer<typeof outageSchema>;

/** Returns the first outage of the `kind` that affects one of `names` at the time `at` (ms), if there is one. */
export const activeOutage = (
  outages: readonly Outage[],
  kind: Outage['kind'],
  names: readonly string[],
  at: number,
): Outage | undefined =>
  outages.find(
    (outage) =>
      outage.kind === kind &&
      (outage.subject === '*' || names.includes(outage.subject)) &&
      isActive(outage, at),
  );
