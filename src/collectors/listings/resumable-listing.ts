// Keeps a listing that the runs of one account and collector share: if a run ends early, the next run continues it.

import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { HOUR } from '../../lib/time.ts';
import { ProviderError, type ProviderErrorKind } from '../../provider/errors.ts';
import { ListingProgress, type ListingSummary } from '../../provider/pages.ts';

/** One pass over all pages of a listing, in one or more runs. */
export interface ListingPass {
  /** When the pass began (ms): by the wall clock, and by the monotonic clock. */
  readonly startedAt: number;
  readonly startedMonotonic: number;
  readonly progress: ListingProgress;
  /** The ids of items that did not decode. */
  readonly skippedIds: Set<string>;
  /** The number of items on all pages, by the newest page; undefined if the provider does not count. */
  total: number | undefined;
  isResumed: boolean;
}

/** A listing without progress for longer begins again, because too many rows have moved. Hourly schedules can continue. */
const MAX_IDLE_MS = 2 * HOUR;
/** After these errors the next page would fail too, or belong to another account. */
const FINAL_ERRORS: ReadonlySet<ProviderErrorKind> = new Set(['auth', 'forbidden', 'rejected', 'not_found']);

export class ResumableListing {
  readonly #canResume: boolean;
  readonly #maxIdleMs: number;
  #pass: ListingPass | undefined;
  /** The pages and answers of the pass when the current run began. */
  #atRunStart = { pages: 0, answers: 0 };
  /** When a run last read a further page (ms). */
  #progressedAt = 0;
  /** The most pages that any run has read since a listing ended. */
  #mostPages = 0;
  #isStable = true;
  /** The items of the last complete listing since the start of the daemon. */
  #items = 0;

  constructor(canResume = true, maxIdleMs = MAX_IDLE_MS) {
    this.#canResume = canResume;
    this.#maxIdleMs = maxIdleMs;
  }

  begin(clock: Clock): ListingPass {
    const isFresh = Math.abs(clock.now() - this.#progressedAt) <= this.#maxIdleMs;
    if (!isFresh) [this.#pass, this.#mostPages] = [undefined, 0];
    const pass = this.#pass ?? startPass(clock);
    pass.isResumed = pass === this.#pass;
    this.#pass = pass;
    this.#atRunStart = { pages: pass.progress.pages, answers: pass.progress.answers };
    return pass;
  }

  /** Logs when listings stop being complete, when they are complete again, and when one is empty for the first time. */
  end({ isComplete, isCounted, distinctIds }: ListingSummary, log: Log): void {
    const isStable = isComplete && !this.#pass?.isResumed;
    if (isCounted && isStable !== this.#isStable) log.info({}, isStable ? COMPLETE_AGAIN : ROWS_CHANGE);
    if (isCounted) this.#isStable = isStable;
    if (isComplete && distinctIds === 0 && this.#items > 0) log.warn({ items_before: this.#items }, EMPTY);
    if (isComplete) this.#items = distinctIds;
    [this.#pass, this.#mostPages] = [undefined, 0];
  }

  /** The next run begins at page 1. */
  restart(): void {
    this.#pass = undefined;
  }

  /**
   * Ends the run with an error. Returns whether the listing came further than in any run before and continues from
   * there. After an outage it continues at the same page. If one page fails again and again, the listing begins at
   * page 1, so that the pages before it are read.
   */
  interrupt(clock: Clock, error: unknown): boolean {
    const { pages = 0, answers = 0 } = this.#pass?.progress ?? {};
    const isLasting = error instanceof ProviderError && FINAL_ERRORS.has(error.kind);
    const hasProgressed = pages > this.#atRunStart.pages;
    const isOutage = answers === this.#atRunStart.answers;
    if (!this.#canResume || isLasting || !(hasProgressed || (isOutage && pages > 0))) this.#pass = undefined;
    if (hasProgressed) this.#progressedAt = clock.now();
    const isFurthestYet = this.#pass !== undefined && hasProgressed && pages > this.#mostPages;
    this.#mostPages = Math.max(this.#mostPages, pages);
    return isFurthestYet;
  }
}

const ROWS_CHANGE =
  'rows change while proxywatch reads the listing; they are counted, but none is treated as removed until a listing is complete';
const EMPTY =
  'the provider says that this list is empty, although it had items before; check the account in the dashboard of the provider';
const COMPLETE_AGAIN =
  'the listing is complete again; rows missing from two complete listings in a row are treated as removed';

const startPass = (clock: Clock): ListingPass => ({
  startedAt: clock.now(),
  startedMonotonic: clock.monotonic(),
  progress: new ListingProgress(),
  skippedIds: new Set(),
  total: undefined,
  isResumed: false,
});
