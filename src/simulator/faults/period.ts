// Defines when something in a scenario is active: always, for a period, or on and off.

import { z } from 'zod';
import { MINUTE } from '../../lib/time.ts';

export const periodFields = {
  from: z.iso.datetime({ offset: true }).nullable().default(null),
  /** Exclusive. */
  until: z.iso.datetime({ offset: true }).nullable().default(null),
  /** Active for the first `bad_minutes` of every `period_minutes`, counted from the epoch. */
  flap: z
    .strictObject({ period_minutes: z.number().positive(), bad_minutes: z.number().positive() })
    .nullable()
    .default(null),
};

const schema = z.object(periodFields);
export type Period = Readonly<z.infer<typeof schema>>;

export const isActive = ({ from, until, flap }: Period, at: number): boolean =>
  (from === null || at >= Date.parse(from)) &&
  (until === null || at < Date.parse(until)) &&
  (flap === null || at % (flap.period_minutes * MINUTE) < flap.bad_minutes * MINUTE);
