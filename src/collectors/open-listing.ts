// A listing that the runs of one account and collector share: one that breaks off goes on in the next.

import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { HOUR } from '../lib/time.ts';
import { ProviderError, type ProviderErrorKind } from '../provider/errors.ts';
import { type ListingEnd, ListingProgress } from '../provider/pages.ts';

/** One reading of all pages, over as many runs as it takes. */
export interface Pass {
  /** When it began (ms), and the same by a clock that never jumps. */
  readonly startedAt: number;
  readonly beganAt: number;
  readonly progress: ListingProgress;
  /** Ids of items that did not decode. */
  readonly skippedIds: Set<string>;
  /** Items on all pages, as the newest one gave it. */
  total: number | undefined;
  isResumed: boolean;
}

/** What broke off longer ago begins anew: too much has moved. */
const MAX_REST_MS = HOUR;
/** After these the next page would meet the same, or be of another account. */
const ENDS_PASS: ReadonlySet<ProviderErrorKind> = new Set(['auth', 'rejected', 'not_found']);

export class OpenListing {
  readonly #resumes: boolean;
  #pass: Pass | undefined;
  /** Pages that were read when the present run began, and when the last run broke off (ms). */
  #pagesBefore = 0;
  #brokeOffAt = 0;
  #isStill = true;

  constructor(resumes = true) {
    this.#resumes = resumes;
  }

  /** Whether the next run goes on with a pass. */
  get isOpen(): boolean {
    return this.#pass !== undefined;
  }

  begin(clock: Clock): Pass {
    const open = this.#pass;
    const isFresh = Math.abs(clock.now() - this.#brokeOffAt) <= MAX_REST_MS;
    const pass = open && isFresh ? open : newPass(clock);
    pass.isResumed = pass === open;
    this.#pass = pass;
    this.#pagesBefore = pass.progress.pages;
    return pass;
  }

  /** Tells the log when listings begin, or cease, to hold still: until they do, nobody is taken for removed. */
  end({ complete, isCounted }: ListingEnd, log: Log): void {
    const isStill = complete && !this.#pass?.isResumed;
    if (isCounted && isStill !== this.#isStill) log.info({}, isStill ? STILL : MOVING);
    if (isCounted) this.#isStill = isStill;
    this.#pass = undefined;
  }

  /** One that came no further than the run before begins anew, so that its first pages are read all the same. */
  breakOff(clock: Clock, error: unknown): void {
    const isLasting = error instanceof ProviderError && ENDS_PASS.has(error.kind);
    const isFurther = (this.#pass?.progress.pages ?? 0) > this.#pagesBefore;
    if (!this.#resumes || isLasting || !isFurther) this.#pass = undefined;
    this.#brokeOffAt = clock.now();
  }
}

const MOVING = 'rows come and go while they are listed: they count, but none is taken for removed meanwhile';
const STILL = 'the listing held still: what it lacks twice is taken for removed';

const newPass = (clock: Clock): Pass => ({
  startedAt: clock.now(),
  beganAt: clock.monotonic(),
  progress: new ListingProgress(),
  skippedIds: new Set(),
  total: undefined,
  isResumed: false,
});
