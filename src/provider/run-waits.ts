// Knows which requests of a run wait because the provider answered 429.

/** Times are in ms since the epoch. */
export interface RunWait {
  /** Since when the first of the waiting requests waits. */
  readonly since: number;
  /** When the last of the pauses ends that they wait for. */
  readonly until: number;
}

export class RunWaits {
  readonly #onChange: () => void;
  /** A request is known by the object that describes it. */
  readonly #requests = new Map<object, RunWait>();

  /** `onChange` is called whenever `current` may have changed; it must not throw. */
  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** Undefined while no request waits. */
  get current(): RunWait | undefined {
    const all = [...this.#requests.values()];
    if (all.length === 0) return undefined;
    return {
      since: Math.min(...all.map(({ since }) => since)),
      until: Math.max(...all.map(({ until }) => until)),
    };
  }

  /** Records that the request waits from `now` for a pause. After a further 429 it has waited since the first one. */
  waits(request: object, now: number, until: number): void {
    const since = this.#requests.get(request)?.since ?? now;
    this.#requests.set(request, { since, until });
    this.#onChange();
  }

  /** Records that the request has succeeded or failed. */
  ended(request: object): void {
    if (this.#requests.delete(request)) this.#onChange();
  }
}
