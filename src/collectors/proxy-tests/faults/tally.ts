// The newest votes on one subject, and what they say of it.

/** Share of votes against it from which a subject is at fault, and below which one at fault is sound again. */
const FAULTY_SHARE = 0.5;
const SOUND_SHARE = 0.25;
/** A sample must be clearer: chance has a part in it, and up to a fifth of it are retests of proxies that failed. */
const FAULTY_SHARE_OF_SAMPLE = 0.75;

/**
 * Counts the votes of the newest run, and as many as a sample needs: where testing all proxies takes many runs, older votes
 * tell of a time before a tester died, or before it recovered. Votes must be added newest first.
 */
export class Tally {
  size = 0;
  against = 0;
  /** Whether every vote is counted, so that each proxy weighs the same. */
  isWhole = true;
  readonly #since: number;
  readonly #sampleSize: number;

  /** `since` is the start of the newest run (ms); `sampleSize` votes are counted however old they are. */
  constructor(since: number, sampleSize: number) {
    this.#since = since;
    this.#sampleSize = sampleSize;
  }

  /** `share` is 0 for the subject to 1 against it. */
  add(at: number, share: number): void {
    if (this.size >= this.#sampleSize && at < this.#since) {
      this.isWhole = false;
      return;
    }
    this.size++;
    this.against += share;
  }

  get isFaulty(): boolean {
    return this.against >= (this.isWhole ? FAULTY_SHARE : FAULTY_SHARE_OF_SAMPLE) * this.size;
  }

  get isSound(): boolean {
    return this.against < SOUND_SHARE * this.size;
  }
}
