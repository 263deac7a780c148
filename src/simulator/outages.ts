// Outages: proxies, testers and targets that are made to fail in proxy tests, for a time or on and off.

import { z } from 'zod';
import { MINUTE } from '../lib/time.ts';

export const outageSchema = z.strictObject({
  kind: z.enum(['proxy', 'tester', 'target']),
  /** Proxy: host, host:port. Tester: its id. Target: host name or whole url. `*` is every one. */
  subject: z.string().min(1),
  from: z.iso.datetime({ offset: true }).nullable().default(null),
  /** Exclusive. */
  until: z.iso.datetime({ offset: true }).nullable().default(null),
  /** Fails for the first `bad_minutes` of every `period_minutes`, counted from the epoch. */
  flap: z
    .strictObject({ period_minutes: z.number().positive(), bad_minutes: z.number().positive() })
    .nullable()
    .default(null),
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

const holds = ({ from, until, flap }: Outage, at: number): boolean =>
  (from === null || at >= Date.parse(from)) &&
  (until === null || at < Date.parse(until)) &&
  (flap === null || at % (flap.period_minutes * MINUTE) < flap.bad_minutes * MINUTE);
