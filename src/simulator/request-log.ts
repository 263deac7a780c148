// What was asked of the simulator: counts for ever, the newest requests in full, and how many at a time.

export interface RequestRecord {
  readonly endpoint: string;
  /** Of the answer; 0 while there is none. */
  status: number;
  /** Milliseconds, by the injected clock. */
  readonly at: number;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: unknown;
}

const KEPT = 1_000;

export class RequestLog {
  readonly #counts = new Map<string, Map<number, number>>();
  readonly #inFlight = new Map<string, number>();
  readonly #mostInFlight = new Map<string, number>();
  #recent: RequestRecord[] = [];

  /** The newest requests, oldest first, with those under way. */
  get recent(): readonly RequestRecord[] {
    return this.#recent;
  }

  /** Answered requests of an endpoint, or of all, with a status, or with any. */
  count(endpoint?: string, status?: number): number {
    let sum = 0;
    for (const [name, statuses] of this.#counts) {
      if (endpoint !== undefined && name !== endpoint) continue;
      for (const [code, count] of statuses) sum += status === undefined || code === status ? count : 0;
    }
    return sum;
  }

  /** Most requests of an endpoint that were under way at once. */
  mostInFlight(endpoint: string): number {
    return this.#mostInFlight.get(endpoint) ?? 0;
  }

  begin(record: RequestRecord): void {
    this.#recent.push(record);
    if (this.#recent.length > KEPT) this.#recent = this.#recent.slice(-KEPT / 2);
    const now = (this.#inFlight.get(record.endpoint) ?? 0) + 1;
    this.#inFlight.set(record.endpoint, now);
    this.#mostInFlight.set(record.endpoint, Math.max(now, this.mostInFlight(record.endpoint)));
  }

  end(record: RequestRecord, status: number): void {
    record.status = status;
    this.#inFlight.set(record.endpoint, (this.#inFlight.get(record.endpoint) ?? 1) - 1);
    const statuses = this.#counts.get(record.endpoint) ?? new Map<number, number>();
    this.#counts.set(record.endpoint, statuses.set(status, (statuses.get(status) ?? 0) + 1));
  }

  toJSON(): object {
    return Object.fromEntries([...this.#counts].map(([name, counts]) => [name, Object.fromEntries(counts)]));
  }
}
