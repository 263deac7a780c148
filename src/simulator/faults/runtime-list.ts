// Holds a list of entries that tests and the admin API change at run time. A schema validates the entries.

import { z } from 'zod';

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
