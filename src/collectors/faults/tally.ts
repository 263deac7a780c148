// Counts the newest votes on one subject, and decides whether it is faulty or healthy.

/** The share of votes against a subject from which it is faulty, and the share below which it is healthy again. */
const FAULTY_SHARE = 0.5;
export const HEALTHY_SHARE = 0.25;
/** A sample needs a higher share, because of chance, and because up to a fifth of it are retests of proxies that failed. */
const SAMPLE_FAULTY_SHARE = 0.75;

/**
 * Counts the votes of the newest run, and at least as many as a sample needs. If testing all proxies takes many runs, older
 * votes may be from before a tester died or recovered. Votes must be added newest first.
 */
export class Tally {
  votes = 0;
  votesAgainst = 0;
  /** Whether every vote is counted, so that each proxy has the same weight. */
  isComplete = true;
  readonly #since: number;
  readonly #sampleSize: number;

  /** `since` is the start of the newest run (ms). `sampleSize` votes are counted however old they are. */
  constructor(since: number, sampleSize: number) {
    this.#since = since;
    this.#sampleSize = sampleSize;
  }

  /** Adds a vote of time `at` (ms). `share` is from 0 (for the subject) to 1 (against it). */
  add(at: number, share: number): void {
    if (this.votes >= this.#sampleSize && at < this.#since) {
      this.isComplete = false;
      return;
    }
    this.votes++;
    this.votesAgainst += share;
  }

  /** Of two votes, one shows as much as the other, so both must be against the subject. */
  get isFaulty(): boolean {
    if (this.votes === 2) return this.isUnanimous;
    return this.votesAgainst >= (this.isComplete ? FAULTY_SHARE : SAMPLE_FAULTY_SHARE) * this.votes;
  }

  get isUnanimous(): boolean {
    return this.votes > 0 && this.votesAgainst === this.votes;
  }

  get isHealthy(): boolean {
    if (this.votes === 2) return this.votesAgainst <= 1;
    return this.votesAgainst < HEALTHY_SHARE * this.votes;
  }
}
