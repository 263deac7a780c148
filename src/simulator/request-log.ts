// Records the simulator's requests: counts of all of them, the newest in full, and how many ran at the same time.

export interface RequestRecord {
  readonly endpoint: string;
  /** Status of the answer; 0 until it is sent. */
  status: number;
  /** Time of the request in milliseconds, by the injected clock. */
  readonly at: number;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: unknown;
}

const MAX_RECENT = 1_000;

export class RequestLog {
  readonly #counts = new Map<string, Map<number, number>>();
  readonly #inFlight = new Map<string, number>();
  readonly #maxInFlight = new Map<string, number>();
  #recent: RequestRecord[] = [];

  /** The newest requests, oldest first, including those in flight. */
  get recent(): readonly RequestRecord[] {
    return this.#recent;
  }

  /** Counts answered requests. Without `endpoint` it counts all endpoints, without `status` all statuses. */
  count(endpoint?: string, status?: number): number {
    let sum = 0;
    for (const [name, statuses] of this.#counts) {
      if (endpoint !== undefined && name !== endpoint) continue;
      for (const [code, count] of statuses) sum += status === undefined || code === status ? count : 0;
    }
    return sum;
  }

  maxInFlight(endpoint: string): number {
    return this.#maxInFlight.get(endpoint) ?? 0;
  }

  begin(record: RequestRecord): void {
    this.#recent.push(record);
    if (this.#recent.length > MAX_RECENT) this.#recent = this.#recent.slice(-MAX_RECENT / 2);
    const now = (this.#inFlight.get(record.endpoint) ?? 0) + 1;
    this.#inFlight.set(record.endpoint, now);
    this.#maxInFlight.set(record.endpoint, Math.max(now, this.maxInFlight(record.endpoint)));
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
