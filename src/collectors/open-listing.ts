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

/** What broke off longer ago begins anew: too much has moved. Schedules of every hour go on. */
const MAX_REST_MS = 2 * HOUR;
/** After these the next page would meet the same, or be of another account. */
const ENDS_PASS: ReadonlySet<ProviderErrorKind> = new Set(['auth', 'forbidden', 'rejected', 'not_found']);

export class OpenListing {
  readonly #resumes: boolean;
  #pass: Pass | undefined;
  /** Pages that were read, and answers that came, when the present run began. */
  #before = { pages: 0, answers: 0 };
  /** When a run last came further (ms), and how many pages any run has read since a listing came to its end. */
  #furtherAt = 0;
  #reached = 0;
  #isStill = true;

  constructor(resumes = true) {
    this.#resumes = resumes;
  }

  begin(clock: Clock): Pass {
    const isFresh = Math.abs(clock.now() - this.#furtherAt) <= MAX_REST_MS;
    if (!isFresh) [this.#pass, this.#reached] = [undefined, 0];
    const pass = this.#pass ?? newPass(clock);
    pass.isResumed = pass === this.#pass;
    this.#pass = pass;
    this.#before = { pages: pass.progress.pages, answers: pass.progress.answers };
    return pass;
  }

  /** Tells the log when listings begin, or cease, to hold still: until they do, nobody is taken for removed. */
  end({ complete, isCounted }: ListingEnd, log: Log): void {
    const isStill = complete && !this.#pass?.isResumed;
    if (isCounted && isStill !== this.#isStill) log.info({}, isStill ? STILL : MOVING);
    if (isCounted) this.#isStill = isStill;
    [this.#pass, this.#reached] = [undefined, 0];
  }

  /**
   * Whether the listing came further than any run before and goes on from there. Of an outage it waits for the end; one
   * that a page fails of begins anew, so that the pages before it are read all the same.
   */
  breakOff(clock: Clock, error: unknown): boolean {
    const { pages = 0, answers = 0 } = this.#pass?.progress ?? {};
    const isLasting = error instanceof ProviderError && ENDS_PASS.has(error.kind);
    const isFurther = pages > this.#before.pages;
    const isOutage = answers === this.#before.answers;
    if (!this.#resumes || isLasting || !(isFurther || (isOutage && pages > 0))) this.#pass = undefined;
    if (isFurther) this.#furtherAt = clock.now();
    const isNews = this.#pass !== undefined && isFurther && pages > this.#reached;
    this.#reached = Math.max(this.#reached, pages);
    return isNews;
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
