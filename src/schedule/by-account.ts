// Keeps one entry for each collector of each account. Finding those of an account costs the same with any number of accounts.

export class ByAccount<T> {
  readonly #accounts = new Map<string, Map<string, T>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(account: string, collector: string): T | undefined {
    return this.#accounts.get(account)?.get(collector);
  }

  /** Throws if there is an entry already. */
  add(account: string, collector: string, entry: T): void {
    const entries = this.#accounts.get(account) ?? new Map<string, T>();
    if (entries.has(collector)) throw new Error(`${account}/${collector} was added twice`);
    this.#accounts.set(account, entries.set(collector, entry));
    this.#size += 1;
  }

  delete(account: string, collector: string): void {
    const entries = this.#accounts.get(account);
    if (!entries?.delete(collector)) return;
    this.#size -= 1;
    if (entries.size === 0) this.#accounts.delete(account);
  }

  /** Returns the entries of one account, in the order in which they were added. */
  of(account: string): T[] {
    return [...(this.#accounts.get(account)?.values() ?? [])];
  }

  *[Symbol.iterator](): Generator<T> {
    for (const entries of this.#accounts.values()) yield* entries.values();
  }
}
