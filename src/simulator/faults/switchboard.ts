// A list of knobs that tests and the admin surface set at run time, checked by its schema.

import { z } from 'zod';

export class Switchboard<S extends z.ZodType> {
  readonly #schema: S;
  #list: readonly z.output<S>[] = [];

  constructor(schema: S, initial: readonly z.input<S>[] = []) {
    this.#schema = schema;
    this.replace(initial);
  }

  get list(): readonly z.output<S>[] {
    return this.#list;
  }

  /** Throws ZodError when `entry` is none; returns the entry as it stands in the list. */
  add(entry: z.input<S>): z.output<S> {
    const parsed = this.#schema.parse(entry);
    this.#list = [...this.#list, parsed];
    return parsed;
  }

  /** All or nothing. Throws ZodError when one of `entries` is none. */
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
