// A listing that the runs of one account and collector share: if a run ends early, the next one continues it.

import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { HOUR } from '../../lib/time.ts';
import { ProviderError, type ProviderErrorKind } from '../../provider/errors.ts';
import { type ListingEnd, ListingProgress } from '../../provider/pages.ts';

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

/** An older unfinished listing begins again at page 1, because too many rows have moved. Hourly schedules can continue. */
const MAX_REST_MS = 2 * HOUR;
/** After these errors the next page would fail too, or belong to another account. */
const ENDS_PASS: ReadonlySet<ProviderErrorKind> = new Set(['auth', 'forbidden', 'rejected', 'not_found']);

export class OpenListing {
  readonly #resumes: boolean;
  #pass: Pass | undefined;
  /** Pages and answers of the pass when the present run began. */
  #before = { pages: 0, answers: 0 };
  /** When a run last read a further page (ms), and the most pages of any run since a listing ended. */
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

  /** Logs when listings stop being complete, and when they are complete again. */
  end({ complete, isCounted }: ListingEnd, log: Log): void {
    const isStill = complete && !this.#pass?.isResumed;
    if (isCounted && isStill !== this.#isStill) log.info({}, isStill ? STILL : MOVING);
    if (isCounted) this.#isStill = isStill;
    [this.#pass, this.#reached] = [undefined, 0];
  }

  /**
   * Whether the listing came further than any run before and continues from there. An outage keeps its place; a page
   * that fails again and again makes the listing begin at page 1, so that the pages before it are read.
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

const MOVING =
  'rows change while proxywatch reads the listing; they are counted, but none is treated as removed until a listing is complete';
const STILL =
  'the listing is complete again; rows missing from two complete listings in a row are treated as removed';

const newPass = (clock: Clock): Pass => ({
  startedAt: clock.now(),
  beganAt: clock.monotonic(),
  progress: new ListingProgress(),
  skippedIds: new Set(),
  total: undefined,
  isResumed: false,
});
