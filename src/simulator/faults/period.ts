// When something in a scenario holds: always, for a time, or on and off.

import { z } from 'zod';
import { MINUTE } from '../../lib/time.ts';

export const period = {
  from: z.iso.datetime({ offset: true }).nullable().default(null),
  /** Exclusive. */
  until: z.iso.datetime({ offset: true }).nullable().default(null),
  /** Holds for the first `bad_minutes` of every `period_minutes`, counted from the epoch. */
  flap: z
    .strictObject({ period_minutes: z.number().positive(), bad_minutes: z.number().positive() })
    .nullable()
    .default(null),
};

const schema = z.object(period);
export type Period = Readonly<z.infer<typeof schema>>;

export const holds = ({ from, until, flap }: Period, at: number): boolean =>
  (from === null || at >= Date.parse(from)) &&
  (until === null || at < Date.parse(until)) &&
  (flap === null || at % (flap.period_minutes * MINUTE) < flap.bad_minutes * MINUTE);
