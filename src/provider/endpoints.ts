// The state of an account's endpoints, from their answers: which are paused, which reject the keys, which succeed.

import type { Clock } from '../lib/clock.ts';
import { DAY, MINUTE, SECOND } from '../lib/time.ts';

/** Of one endpoint; times in ms since the epoch. */
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

/** Attempts in a row that nobody answered: the first and the newest. */
export interface Unreached {
  readonly since: number;
  readonly newestAt: number;
}

/** What outlives a restart. */
export interface KeptStanding {
  readonly endpoints: readonly EndpointState[];
  readonly unreached: Unreached | null;
}

export interface Standing extends KeptStanding {
  /** Since when the keys themselves are rejected, and not one endpoint alone; null while they are good. */
  readonly keysRejectedSince: number | null;
}

/** What an account's collectors ask. */
export interface Asked {
  readonly endpoints: ReadonlySet<string>;
  /** Those whose answers something rests on. */
  readonly needed: ReadonlySet<string>;
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

/** A refusal. `isShared`: other endpoints refused in the same short time, so the whole account makes too many requests. */
export interface Refusal {
  readonly pauseMs: number;
  readonly isShared: boolean;
}

/** A longer pause is taken for a mistake of the provider. */
const LONGEST_PAUSE_MS = DAY;
/** The least pause: for the first refusal, and the longest for refusals in a row. A shorter answer does not reduce it. */
const FIRST_PAUSE_MS = SECOND;
const LONGEST_OWN_PAUSE_MS = 30 * SECOND;
/** Refusals of several endpoints within this time are one. */
const TOGETHER_MS = MINUTE;
/** Keys that are not known; the other rejections may be about the endpoint. */
const UNAUTHORIZED = 401;
/** So many endpoints that are forbidden, and nothing that succeeds meanwhile, speak against the keys. */
const SEVERAL = 2;

interface Endpoint {
  readonly state: { -readonly [K in keyof Omit<EndpointState, 'endpoint'>]: EndpointState[K] };
  /** Refusals in a row. */
  refusals: number;
  /** On the monotonic clock: the newest refusal, and the end of the pause. */
  refusedAt: number;
  resumesAt: number;
}

export interface EndpointsOptions {
  readonly clock: Clock;
  readonly observer?: EndpointObserver | undefined;
  /** From 0 to below 1, for the jitter of pauses. */
  readonly random?: (() => number) | undefined;
}

export class Endpoints {
  readonly #clock: Clock;
  readonly #observer: EndpointObserver;
  readonly #random: () => number;
  readonly #known = new Map<string, Endpoint>();
  #unreached: Unreached | null = null;
  #needed: ReadonlySet<string> = new Set();

  constructor({ clock, observer = {}, random = Math.random }: EndpointsOptions) {
    this.#clock = clock;
    this.#observer = observer;
    this.#random = random;
  }

  get standing(): Standing {
    const endpoints = [...this.#known].map(([endpoint, { state }]) => ({
      ...{ endpoint, ...state },
      pausedUntil: this.pauseLeftMs(endpoint) > 0 ? state.pausedUntil : null,
    }));
    return { endpoints, unreached: this.#unreached, keysRejectedSince: this.#keysRejectedSince };
  }

  /** What is left of the endpoint's pause (ms); 0 when it is not paused. */
  pauseLeftMs(endpoint: string): number {
    const { state, resumesAt } = this.#known.get(endpoint) ?? {};
    if (!state?.pausedUntil || resumesAt === undefined) return 0;
    // The monotonic clock stops while a machine sleeps, and the wall clock may be set: the pause ends when either says so.
    if (state.pausedUntil <= this.#clock.now()) return 0;
    return Math.max(0, resumesAt - this.#clock.monotonic());
  }

  /** An answer of 2xx to a request that was sent at `sentAt` (monotonic). */
  succeeded(endpoint: string, sentAt: number): void {
    const known = this.#of(endpoint);
    const { state } = known;
    // Keys that several did not know are good again: not all endpoints are asked so soon that each could say so.
    const unauthorized = this.#rejectedSinceSuccess.filter(isUnauthorized);
    if (unauthorized.length >= SEVERAL) for (const other of unauthorized) forgive(other);
    state.lastSuccessAt = this.#clock.now();
    forgive(known);
    // A request sent before the refusal does not show that the refusals have ended.
    if (sentAt <= known.refusedAt) return;
    if (state.refusedSince !== null) this.#observer.resumed?.(endpoint);
    known.refusals = 0;
    state.refusedSince = null;
    state.pausedUntil = null;
  }

  /** The endpoint rejected the keys, or forbids this request. */
  rejected(endpoint: string, status: number | null): void {
    const { state } = this.#of(endpoint);
    state.rejectedSince ??= this.#clock.now();
    state.rejectedStatus = status;
  }

  /** An answer of 429 to a request that was sent at `sentAt` (monotonic), with the pause that it asks for. */
  refused(endpoint: string, sentAt: number, askedMs: number | undefined): Refusal {
    const known = this.#of(endpoint);
    const now = this.#clock.monotonic();
    // Requests that were on their way together are refused once.
    if (sentAt > known.refusedAt) known.refusals += 1;
    known.refusedAt = now;
    known.state.refusedSince ??= this.#clock.now();
    const pauseMs = Math.min(LONGEST_PAUSE_MS, this.#pauseOf(known.refusals, askedMs));
    if (pauseMs > this.pauseLeftMs(endpoint)) this.#pause(endpoint, known, pauseMs);
    const others = [...this.#known.values()].filter((other) => other !== known);
    return { pauseMs, isShared: others.some(({ refusedAt }) => now - refusedAt < TOGETHER_MS) };
  }

  /** `isReached`: the provider answered with 2xx to 4xx. */
  attempted(isReached: boolean): void {
    const now = this.#clock.now();
    this.#unreached = isReached ? null : { since: this.#unreached?.since ?? now, newestAt: now };
  }

  /** Restores what was known before a restart, for the endpoints that are still used. */
  restore({ endpoints, unreached }: KeptStanding, asked: Asked): void {
    this.#unreached = unreached;
    this.#needed = asked.needed;
    for (const { endpoint, ...state } of endpoints) {
      if (!asked.endpoints.has(endpoint) || this.#known.has(endpoint)) continue;
      const leftMs = (state.pausedUntil ?? 0) - this.#clock.now();
      const resumesAt = this.#clock.monotonic() + leftMs;
      this.#known.set(endpoint, { state, refusals: 0, refusedAt: Number.NEGATIVE_INFINITY, resumesAt });
    }
    this.followClock();
  }

  /** Forgets endpoints that are no longer used. */
  keep({ endpoints, needed }: Asked): void {
    this.#needed = needed;
    for (const endpoint of this.#known.keys()) if (!endpoints.has(endpoint)) this.#known.delete(endpoint);
  }

  /** Times that a clock far ahead has left become the present. */
  followClock(): void {
    const now = this.#clock.now();
    const past = (at: number | null): number | null => (at === null ? null : Math.min(at, now));
    for (const known of this.#known.values()) {
      const { lastSuccessAt, rejectedSince, refusedSince, pausedUntil } = known.state;
      known.state.lastSuccessAt = past(lastSuccessAt);
      known.state.rejectedSince = past(rejectedSince);
      known.state.refusedSince = past(refusedSince);
      if (pausedUntil !== null) known.state.pausedUntil = Math.min(pausedUntil, now + LONGEST_PAUSE_MS);
      known.resumesAt = Math.min(known.resumesAt, this.#clock.monotonic() + LONGEST_PAUSE_MS);
    }
    const { since = 0, newestAt = 0 } = this.#unreached ?? {};
    if (newestAt > now) this.#unreached = { since: Math.min(since, now), newestAt: now };
  }

  /** A collector that is polled often meets what is forbidden to it alone long before another one is asked. */
  get #keysRejectedSince(): number | null {
    const rejected = this.#rejectedSinceSuccess;
    const isAskedElsewhere = [...this.#needed].some(
      (endpoint) => !this.#known.get(endpoint)?.state.rejectedSince,
    );
    const areKeys =
      rejected.length >= SEVERAL ||
      rejected.some(isUnauthorized) ||
      (rejected.length > 0 && !isAskedElsewhere);
    return areKeys ? Math.max(...rejected.map(({ state }) => state.rejectedSince ?? 0)) : null;
  }

  /** Endpoints that were first rejected since any last succeeded. */
  get #rejectedSinceSuccess(): Endpoint[] {
    const known = [...this.#known.values()];
    const successAt = Math.max(0, ...known.map(({ state }) => state.lastSuccessAt ?? 0));
    return known.filter(({ state }) => (state.rejectedSince ?? 0) > successAt);
  }

  #pause(endpoint: string, known: Endpoint, durationMs: number): void {
    known.resumesAt = this.#clock.monotonic() + durationMs;
    known.state.pausedUntil = this.#clock.now() + durationMs;
    this.#observer.paused?.({ endpoint, durationMs, until: known.state.pausedUntil });
  }

  /** Never shorter than the least pause: otherwise a provider that says 0 and refuses again would get endless requests. */
  #pauseOf(refusals: number, askedMs = 0): number {
    const doubled = Math.min(LONGEST_OWN_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (refusals - 1));
    return Math.max(askedMs, doubled * (1 + this.#random() / 2));
  }

  #of(endpoint: string): Endpoint {
    const known = this.#known.get(endpoint) ?? {
      state: {
        lastSuccessAt: null,
        rejectedSince: null,
        rejectedStatus: null,
        refusedSince: null,
        pausedUntil: null,
      },
      ...{ refusals: 0, refusedAt: Number.NEGATIVE_INFINITY, resumesAt: Number.NEGATIVE_INFINITY },
    };
    this.#known.set(endpoint, known);
    return known;
  }
}

const isUnauthorized = ({ state }: Endpoint): boolean => state.rejectedStatus === UNAUTHORIZED;

const forgive = ({ state }: Endpoint): void => {
  state.rejectedSince = null;
  state.rejectedStatus = null;
};
