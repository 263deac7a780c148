// Discrepancies: ways in which the provider's answers do not agree with each other, for as long as they hold.

import { z } from 'zod';
import { holds, period } from './period.ts';

const discrepancy = <K extends string, S extends z.ZodRawShape>(kind: K, shape: S) =>
  z.strictObject({ kind: z.literal(kind), ...period, ...shape });

export const discrepancySchema = z.discriminatedUnion('kind', [
  /** Graphs of minutes lack these minutes, in their totals too; graphs of hours and days have them. */
  discrepancy('lost_minutes', {}),
  /** Graphs of minutes have these minutes twice as high. */
  discrepancy('doubled_minutes', {}),
  /** The ledger's use of days that begin within has so much less: a part of the traffic that is not charged. */
  discrepancy('uncharged', { ratio: z.number().min(0).max(1) }),
  /** The ledger's use of days that begin within is so many bytes higher. */
  discrepancy('ledger_correction', { bytes: z.int() }),
]);
export type Discrepancy = z.infer<typeof discrepancySchema>;

/** A graph's minutes as they are answered with. */
export const minutesWith = <B extends { readonly start: number }>(
  discrepancies: readonly Discrepancy[],
  minutes: readonly B[],
): B[] => {
  if (discrepancies.length === 0) return [...minutes];
  const isHeld = (kind: Discrepancy['kind'], at: number): boolean =>
    discrepancies.some((one) => one.kind === kind && holds(one, at));
  return minutes
    .filter(({ start }) => !isHeld('lost_minutes', start))
    .map((minute) => (isHeld('doubled_minutes', minute.start) ? doubled(minute) : minute));
};

/** Bytes of use as the ledger has them, of a day that begins at `day` (ms). */
export const usedWith = (discrepancies: readonly Discrepancy[], used: number, day: number): number =>
  discrepancies
    .filter((one) => holds(one, day))
    .reduce((bytes, one) => {
      if (one.kind === 'uncharged') return Math.floor(bytes * (1 - one.ratio));
      return one.kind === 'ledger_correction' ? bytes + one.bytes : bytes;
    }, used);

const doubled = <B extends { readonly start: number }>(minute: B): B => {
  const values = Object.entries(minute).map(([key, value]) => [key, 2 * (value as number)]);
  return { ...(Object.fromEntries(values) as B), start: minute.start };
};
