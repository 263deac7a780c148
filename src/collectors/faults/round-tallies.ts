// Counts the votes of the proxies' rounds on testers, targets and the provider.

import { forEachInSteps, type Steps } from '../../lib/steps.ts';
import { causeOf, isUncompared } from './causes.ts';
import { areOwnSettings } from './own-setting.ts';
import { hasFailed, type ProxyRound, testKeyOf } from './proxy-round.ts';

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

/** One batch is enough to assess a tester or a target. An outage, which takes half of all proxies, needs several batches. */
const SAMPLE_SIZE = 20;
export const OUTAGE_SAMPLE_SIZE = 100;

type Tallies = Map<string, Tally>;

export interface RoundTallies {
  /** Proxies whose tests all failed with the proxy as the cause, see `causeOf`, and not with the customer's own settings. Without votes if outages are not looked for. */
  readonly deadProxies: Tally;
  /** The same in a sample of the newest batch, where an outage shows first. */
  readonly deadProxiesInNewestBatch: Tally;
  readonly testers: Tallies;
  /** By url, over all proxies. */
  readonly targets: Tallies;
  /** By product type and url, because a target may block only one kind of address. */
  readonly targetsByType: Map<string, Tallies>;
  /** By url and tester (see `testKeyOf`): how often the test fails, among proxies that do not fail everywhere. */
  readonly tests: Tallies;
  /** By url: proxies that fail in all tests and can be compared only with other proxies. */
  readonly uncompared: Tallies;
  /** By url: those of them whose results name the target as the error source. */
  readonly namedTargets: Tallies;
}

interface TallyOptions {
  /** The start of the newest run (ms). */
  readonly since: number;
  readonly findsOutages: boolean;
}

/** Counts the votes of each proxy's newest outcomes (`depth` 0), those of the round before (1), and so on. */
export function* tallyInSteps(
  rounds: readonly ProxyRound[],
  depth: number,
  options: TallyOptions,
): Steps<RoundTallies> {
  const { since } = options;
  const result: RoundTallies = {
    deadProxies: new Tally(since, OUTAGE_SAMPLE_SIZE),
    deadProxiesInNewestBatch: new Tally(since, SAMPLE_SIZE),
    testers: new Map(),
    targets: new Map(),
    targetsByType: new Map(),
    tests: new Map(),
    uncompared: new Map(),
    namedTargets: new Map(),
  };
  yield* forEachInSteps(rounds, (round) => addRound(result, round, depth, options));
  return result;
}

/**
 * Adds the votes of one proxy. Its vote on a tester is the share of its tests from there that failed although another
 * tester got through to the same url. Its vote on a target is the share that failed although the same tester got through
 * to another url. A failure without such a comparison does not count. So one fault does not look like another, and a dead
 * proxy has no vote on either.
 */
const addRound = (
  result: RoundTallies,
  round: ProxyRound,
  depth: number,
  { since, findsOutages }: TallyOptions,
): void => {
  const cells = round.cells.filter((cell) => cell.rounds > depth);
  if (cells.length === 0) return;
  const failed = cells.filter((cell) => hasFailed(cell, depth));
  const cause = causeOf(round, depth);
  if (findsOutages) {
    // The store knows only the newest code. A password that many proxies share is no fault of the provider.
    const isDead = cause === 'proxy' && !areOwnSettings(failed);
    result.deadProxies.add(round.at, Number(isDead));
    result.deadProxiesInNewestBatch.add(round.at, Number(isDead));
  }
  const tally = (tallies: Tallies, subject: string): Tally =>
    getOrMake(tallies, subject, () => new Tally(since, SAMPLE_SIZE));
  for (const url of new Set(cells.map((cell) => cell.url))) {
    tally(result.uncompared, url).add(round.at, Number(isUncompared(round, depth)));
    tally(result.namedTargets, url).add(round.at, Number(cause === 'target'));
  }
  if (cause !== undefined) return;

  const fromTester = new Map<string, Counts>();
  const toUrl = new Map<string, Counts>();
  for (const cell of cells) {
    if (hasFailed(cell, depth)) continue;
    countsOf(fromTester, cell.tester).succeeded++;
    countsOf(toUrl, cell.url).succeeded++;
  }
  for (const cell of failed) {
    const tester = countsOf(fromTester, cell.tester);
    const url = countsOf(toUrl, cell.url);
    if (url.succeeded > 0) tester.failed++;
    if (tester.succeeded > 0) url.failed++;
  }
  const ofType = getOrMake(result.targetsByType, round.productType, () => new Map());
  for (const [tester, counts] of fromTester) vote(tally(result.testers, tester), round.at, counts);
  for (const [url, counts] of toUrl) {
    vote(tally(result.targets, url), round.at, counts);
    vote(tally(ofType, url), round.at, counts);
  }
  for (const cell of cells)
    tally(result.tests, testKeyOf(cell)).add(round.at, Number(hasFailed(cell, depth)));
};

interface Counts {
  succeeded: number;
  /** Only failures that another, successful test can be compared with. */
  failed: number;
}

const vote = (tally: Tally, at: number, { succeeded, failed }: Counts): void => {
  if (succeeded + failed > 0) tally.add(at, failed / (succeeded + failed));
};

const countsOf = (counts: Map<string, Counts>, subject: string): Counts =>
  getOrMake(counts, subject, () => ({ succeeded: 0, failed: 0 }));

const getOrMake = <V>(map: Map<string, V>, key: string, make: () => V): V => {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
};
