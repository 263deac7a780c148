// Derives the state of an account's endpoints from their answers: which are paused, reject the keys, or succeed.

import type { Clock } from '../lib/clock.ts';
import { DAY, MINUTE, SECOND } from '../lib/time.ts';
import {
  clearRejection,
  clearUnauthorized,
  keysRejectedSinceIn,
  type RejectingEndpoint,
} from './rejections.ts';

/** The state of one endpoint. Times are in ms since the epoch. */
export interface EndpointState {
  readonly endpoint: string;
  readonly lastSuccessAt: number | null;
  /** The first rejection (401, 403, 499) since it last succeeded. */
  readonly rejectedSince: number | null;
  /** The status of the newest rejection since then. */
  readonly rejectedStatus: number | null;
  /** The first refusal for pace or quota (429) since it last succeeded. */
  readonly refusedSince: number | null;
  /** The end of its pause after a 429; null when it is not paused. */
  readonly pausedUntil: number | null;
}

/** Attempts in a row without an answer from the provider. */
export interface UnansweredAttempts {
  /** The first of them. */
  readonly since: number;
  readonly newestAt: number;
}

/** The part of the state that is stored and outlives a restart. */
export interface StoredEndpointSummary {
  readonly endpoints: readonly EndpointState[];
  readonly unreached: UnansweredAttempts | null;
}

export interface EndpointSummary extends StoredEndpointSummary {
  /** Since when the provider rejects the keys, and not only single endpoints; null while it accepts them. */
  readonly keysRejectedSince: number | null;
}

/** The endpoints that an account's collectors request. */
export interface PolledEndpoints {
  readonly all: ReadonlySet<string>;
  /** The endpoints whose answers something depends on. */
  readonly required: ReadonlySet<string>;
}

export interface Pause {
  readonly endpoint: string;
  readonly durationMs: number;
  readonly until: number;
}

/** Called when an endpoint is paused, and when a paused one succeeds again; must not throw. */
export interface EndpointObserver {
  paused?(pause: Pause): void;
  resumed?(endpoint: string): void;
}

/** A 429. `isShared`: other endpoints also answered 429 within a minute, so the whole account makes too many requests. */
export interface RateLimit {
  readonly pauseMs: number;
  readonly isShared: boolean;
}

/** A request for a longer pause is treated as the provider's mistake. */
const LONGEST_PAUSE_MS = DAY;
/** The minimum pause: it starts at this value and doubles with each 429 in a row. The provider cannot ask for less. */
const FIRST_PAUSE_MS = SECOND;
/** The minimum pause does not rise above this value. */
const LONGEST_OWN_PAUSE_MS = 30 * SECOND;
/** If several endpoints answer 429 within this time, the account as a whole makes too many requests. */
const SHARED_WITHIN_MS = MINUTE;
interface Endpoint extends RejectingEndpoint {
  readonly state: { -readonly [K in keyof Omit<EndpointState, 'endpoint'>]: EndpointState[K] };
  /** How many 429 in a row. */
  rateLimits: number;
  /** The newest 429, on the monotonic clock. */
  rateLimitedAt: number;
  /** The end of the pause, on the monotonic clock. */
  resumesAt: number;
}

const UNKNOWN: Omit<Endpoint, 'state'> = {
  rejectedAt: null,
  rateLimits: 0,
  rateLimitedAt: Number.NEGATIVE_INFINITY,
  resumesAt: Number.NEGATIVE_INFINITY,
};

export interface EndpointsOptions {
  readonly clock: Clock;
  readonly observer?: EndpointObserver | undefined;
  /** From 0 to below 1, for the jitter of pauses. */
  readonly random?: (() => number) | undefined;
}

export class Endpoints {
  /** The provider's clock minus the local clock, in ms, as of the newest answer with a `Date`. 0 before the first one. */
  clockOffsetMs = 0;
  readonly #clock: Clock;
  readonly #observer: EndpointObserver;
  readonly #random: () => number;
  readonly #known = new Map<string, Endpoint>();
  #unreached: UnansweredAttempts | null = null;
  #answers = 0;
  #required: ReadonlySet<string> = new Set();

  constructor({ clock, observer = {}, random = Math.random }: EndpointsOptions) {
    this.#clock = clock;
    this.#observer = observer;
    this.#random = random;
  }

  get summary(): EndpointSummary {
    const endpoints = [...this.#known].map(([endpoint, { state }]) => ({
      ...{ endpoint, ...state },
      pausedUntil: this.pauseLeftMs(endpoint) > 0 ? state.pausedUntil : null,
    }));
    const keysRejectedSince = keysRejectedSinceIn(this.#known, this.#required);
    return { endpoints, unreached: this.#unreached, keysRejectedSince };
  }

  /** How many attempts the provider has answered since the start. */
  get answers(): number {
    return this.#answers;
  }

  /** The remaining time of the endpoint's pause (ms); 0 when it is not paused. */
  pauseLeftMs(endpoint: string): number {
    const { state, resumesAt } = this.#known.get(endpoint) ?? {};
    if (!state?.pausedUntil || resumesAt === undefined) return 0;
    // The monotonic clock stops while the machine sleeps, and the wall clock may be set: either may end the pause.
    if (state.pausedUntil <= this.#clock.now()) return 0;
    return Math.max(0, resumesAt - this.#clock.monotonic());
  }

  /** Records an answer of 2xx to a request that was sent at `sentAt` (monotonic). */
  succeeded(endpoint: string, sentAt: number): void {
    const known = this.#get(endpoint);
    const { state } = known;
    // The keys work again, also for the other endpoints: some are requested too rarely to show it themselves.
    clearUnauthorized([...this.#known.values()]);
    state.lastSuccessAt = this.#clock.now();
    clearRejection(known);
    // A request that was sent before the 429 does not show that the endpoint accepts requests again.
    if (sentAt <= known.rateLimitedAt) return;
    if (state.refusedSince !== null) this.#observer.resumed?.(endpoint);
    known.rateLimits = 0;
    state.refusedSince = null;
    state.pausedUntil = null;
  }

  /** Records that the endpoint rejected the keys or forbids this request. */
  rejected(endpoint: string, status: number | null): void {
    const known = this.#get(endpoint);
    known.rejectedAt = this.#clock.now();
    known.state.rejectedSince ??= known.rejectedAt;
    known.state.rejectedStatus = status;
  }

  /** Records a 429 to a request that was sent at `sentAt` (monotonic), with the pause that the provider asks for. */
  rateLimited(endpoint: string, sentAt: number, requestedMs: number | undefined): RateLimit {
    const known = this.#get(endpoint);
    const now = this.#clock.monotonic();
    // Requests that were in flight at the same time count as one 429.
    if (sentAt > known.rateLimitedAt) known.rateLimits += 1;
    known.rateLimitedAt = now;
    known.state.refusedSince ??= this.#clock.now();
    const pauseMs = Math.min(LONGEST_PAUSE_MS, this.#pauseMsFor(known.rateLimits, requestedMs));
    if (pauseMs > this.pauseLeftMs(endpoint)) this.#pause(endpoint, known, pauseMs);
    const others = [...this.#known.values()].filter((other) => other !== known);
    const isShared = others.some(({ rateLimitedAt }) => now - rateLimitedAt < SHARED_WITHIN_MS);
    return { pauseMs, isShared };
  }

  /** Records an attempt. `isReached`: the provider answered with 2xx to 4xx. */
  attempted(isReached: boolean): void {
    const now = this.#clock.now();
    if (isReached) this.#answers += 1;
    this.#unreached = isReached ? null : { since: this.#unreached?.since ?? now, newestAt: now };
  }

  /** Restores the state from before a restart, for the endpoints that are still polled. */
  restore({ endpoints, unreached }: StoredEndpointSummary, polled: PolledEndpoints): void {
    this.#unreached = unreached;
    this.#required = polled.required;
    for (const { endpoint, ...state } of endpoints) {
      if (!polled.all.has(endpoint) || this.#known.has(endpoint)) continue;
      const leftMs = (state.pausedUntil ?? 0) - this.#clock.now();
      const resumesAt = this.#clock.monotonic() + leftMs;
      this.#known.set(endpoint, { ...UNKNOWN, state, resumesAt });
    }
    this.clampFutureTimes();
  }

  keep({ all, required }: PolledEndpoints): void {
    this.#required = required;
    for (const endpoint of this.#known.keys()) if (!all.has(endpoint)) this.#known.delete(endpoint);
  }

  /** Replaces times in the future, which a clock that was ahead has left, with the current time. */
  clampFutureTimes(): void {
    const now = this.#clock.now();
    const notLaterThanNow = (at: number | null): number | null => (at === null ? null : Math.min(at, now));
    for (const known of this.#known.values()) {
      const { lastSuccessAt, rejectedSince, refusedSince, pausedUntil } = known.state;
      known.state.lastSuccessAt = notLaterThanNow(lastSuccessAt);
      known.state.rejectedSince = notLaterThanNow(rejectedSince);
      known.state.refusedSince = notLaterThanNow(refusedSince);
      if (pausedUntil !== null) known.state.pausedUntil = Math.min(pausedUntil, now + LONGEST_PAUSE_MS);
      known.resumesAt = Math.min(known.resumesAt, this.#clock.monotonic() + LONGEST_PAUSE_MS);
    }
    const { since = 0, newestAt = 0 } = this.#unreached ?? {};
    if (newestAt > now) this.#unreached = { since: Math.min(since, now), newestAt: now };
  }

  #pause(endpoint: string, known: Endpoint, durationMs: number): void {
    known.resumesAt = this.#clock.monotonic() + durationMs;
    known.state.pausedUntil = this.#clock.now() + durationMs;
    this.#observer.paused?.({ endpoint, durationMs, until: known.state.pausedUntil });
  }

  /** Enforces the minimum pause. Otherwise a provider that asks for 0 and answers 429 again would get endless requests. */
  #pauseMsFor(rateLimits: number, requestedMs = 0): number {
    const doubled = Math.min(LONGEST_OWN_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (rateLimits - 1));
    return Math.max(requestedMs, doubled * (1 + this.#random() / 2));
  }

  #get(endpoint: string): Endpoint {
    const known = this.#known.get(endpoint) ?? {
      state: {
        lastSuccessAt: null,
        rejectedSince: null,
        rejectedStatus: null,
        refusedSince: null,
        pausedUntil: null,
      },
      ...UNKNOWN,
    };
    this.#known.set(endpoint, known);
    return known;
  }
}
