// Defines outages of proxies, testers and targets in tests, and discrepancies between the provider's answers.

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

const discrepancy = <K extends string, S extends z.ZodRawShape>(kind: K, shape: S) =>
  z.strictObject({ kind: z.literal(kind), ...periodFields, ...shape });

export const discrepancySchema = z.discriminatedUnion('kind', [
  /** Graphs of minutes lack these minutes, also in their totals. Graphs of hours and days include them. */
  discrepancy('lost_minutes', {}),
  /** Graphs of minutes show twice the values for these minutes. */
  discrepancy('doubled_minutes', {}),
  /** The ledger's usage of days that begin in the period is lower by this share, as if traffic were not charged. */
  discrepancy('uncharged', { ratio: z.number().min(0).max(1) }),
  /** The ledger's usage of days that begin in the period is higher by this many bytes. */
  discrepancy('ledger_correction', { bytes: z.int() }),
  /** Log summaries of a product type on days that begin in the period charge more by this share. */
  discrepancy('overbilled', { network: z.string(), ratio: z.number().min(0) }),
  /** The same for all bytes, charged or not. */
  discrepancy('overlisted', { network: z.string(), ratio: z.number().min(0) }),
]);
export type Discrepancy = z.infer<typeof discrepancySchema>;

/** Applies the discrepancies to the minutes of a graph. */
export const minutesWithDiscrepancies = <B extends { readonly start: number }>(
  discrepancies: readonly Discrepancy[],
  minutes: readonly B[],
): B[] => {
  if (discrepancies.length === 0) return [...minutes];
  const isAffected = (kind: Discrepancy['kind'], at: number): boolean =>
    discrepancies.some((one) => one.kind === kind && isActive(one, at));
  return minutes
    .filter(({ start }) => !isAffected('lost_minutes', start))
    .map((minute) => (isAffected('doubled_minutes', minute.start) ? doubled(minute) : minute));
};

/** Applies the discrepancies to the ledger's used bytes of a day that begins at `day` (ms). */
export const usedBytesWithDiscrepancies = (
  discrepancies: readonly Discrepancy[],
  used: number,
  day: number,
): number =>
  discrepancies
    .filter((one) => isActive(one, day))
    .reduce((bytes, one) => {
      if (one.kind === 'uncharged') return Math.floor(bytes * (1 - one.ratio));
      return one.kind === 'ledger_correction' ? bytes + one.bytes : bytes;
    }, used);

/** Returns how much more than used is charged or listed in a product type on a day that begins at `day` (ms), as a share. */
export const excessShare = (
  discrepancies: readonly Discrepancy[],
  kind: 'overbilled' | 'overlisted',
  network: string,
  day: number,
): number =>
  discrepancies.reduce(
    (sum, one) =>
      one.kind === kind && one.network === network && isActive(one, day) ? sum + one.ratio : sum,
    0,
  );

const doubled = <B extends { readonly start: number }>(minute: B): B => {
  const values = Object.entries(minute).map(([key, value]) => [key, 2 * (value as number)]);
  return { ...(Object.fromEntries(values) as B), start: minute.start };
};
