// Holds a list of entries that change at run time, and decides when one is active: always, for a period, or on and off.

import { z } from 'zod';
import { MINUTE } from '../../lib/time.ts';

export class RuntimeList<S extends z.ZodType> {
  readonly #schema: S;
  #list: readonly z.output<S>[] = [];

  constructor(schema: S, initial: readonly z.input<S>[] = []) {
    this.#schema = schema;
    this.replace(initial);
  }

  get list(): readonly z.output<S>[] {
    return this.#list;
  }

  /** Returns the entry as it is in the list. Throws ZodError if `entry` is invalid. */
  add(entry: z.input<S>): z.output<S> {
    const parsed = this.#schema.parse(entry);
    this.#list = [...this.#list, parsed];
    return parsed;
  }

  /** Replaces all entries or none. Throws ZodError if one of `entries` is invalid. */
  replace(entries: unknown): void {
    this.#list = z.array(this.#schema).parse(entries);
  }

  remove(entry: z.output<S>): void {
    this.#list = this.#list.filter((other) => other !== entry);
  }

  clear(): void {
    this.#list = [];
  }
}

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
type Period = Readonly<z.infer<typeof schema>>;

export const isActive = ({ from, until, flap }: Period, at: number): boolean =>
  (from === null || at >= Date.parse(from)) &&
  (until === null || at < Date.parse(until)) &&
  (flap === null || at % (flap.period_minutes * MINUTE) < flap.bad_minutes * MINUTE);

/** Returns the times (ms) after `start`, up to `end`, at which the period may begin or end. */
export const boundariesOf = ({ from, until, flap }: Period, start: number, end: number): number[] => {
  const times = [from, until].flatMap((text) => (text === null ? [] : Date.parse(text)));
  if (flap) {
    const [period, bad] = [flap.period_minutes * MINUTE, flap.bad_minutes * MINUTE];
    for (let at = Math.floor(start / period) * period; at <= end; at += period) times.push(at, at + bad);
  }
  return times.filter((at) => at > start && at <= end);
};
