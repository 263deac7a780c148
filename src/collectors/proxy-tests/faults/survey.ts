// Counts what the proxies' newest rounds say of testers, targets and the provider.

import { causeOf, isAlone } from './causes.ts';
import { hasFailed, type ProxyRound, testOf } from './proxy-round.ts';
import { Tally } from './tally.ts';

/** A batch tells of a tester or a target; an outage, which half of all proxies make, shows in several. */
const SAMPLE_SIZE = 20;
const SAMPLE_SIZE_OF_OUTAGE = 100;

type Tallies = Map<string, Tally>;

export interface Survey {
  /** Proxies whose tests all failed, and not for a target or an unknown cause: see `causeOf`. */
  readonly dead: Tally;
  /** The same in the newest batch, where an outage shows first. */
  readonly deadLately: Tally;
  /** By tester. */
  readonly testers: Tallies;
  /** By url, over all proxies. */
  readonly targets: Tallies;
  /** By product type and url: a target may block one kind of address alone. */
  readonly targetsByType: Map<string, Tallies>;
  /** By url and tester, see `testOf`: how often the same test fails for other proxies that work. */
  readonly tests: Tallies;
  /** By url: proxies that fail in all tests, with nothing to compare them with but each other. */
  readonly alone: Tallies;
  /** By url: those of them whose results name the target. */
  readonly named: Tallies;
}

/** `depth` 0 surveys the newest outcomes, 1 those of the round before, and so on. */
export const survey = (rounds: readonly ProxyRound[], depth: number, since: number): Survey => {
  const found: Survey = {
    dead: new Tally(since, SAMPLE_SIZE_OF_OUTAGE),
    deadLately: new Tally(since, SAMPLE_SIZE),
    testers: new Map(),
    targets: new Map(),
    targetsByType: new Map(),
    tests: new Map(),
    alone: new Map(),
    named: new Map(),
  };
  for (const round of rounds) addRound(found, round, depth, since);
  return found;
};

/**
 * A proxy's vote on a tester: of its tests from there, the share that failed although another tester got through to the
 * same url. Its vote on a target likewise: although the same tester got through to another url. What no other test
 * vouches for has no say, so one fault does not look like another, and a dead proxy says nothing of either.
 */
const addRound = (found: Survey, round: ProxyRound, depth: number, since: number): void => {
  const cells = round.cells.filter((cell) => cell.rounds > depth);
  if (cells.length === 0) return;
  const failed = cells.filter((cell) => hasFailed(cell, depth));
  const cause = causeOf(round, depth);
  found.dead.add(round.at, Number(cause === 'proxy'));
  found.deadLately.add(round.at, Number(cause === 'proxy'));
  const tally = (tallies: Tallies, subject: string): Tally =>
    getOrMake(tallies, subject, () => new Tally(since, SAMPLE_SIZE));
  for (const url of new Set(cells.map((cell) => cell.url))) {
    tally(found.alone, url).add(round.at, Number(isAlone(round, depth)));
    tally(found.named, url).add(round.at, Number(cause === 'target'));
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
  const ofType = getOrMake(found.targetsByType, round.productType, () => new Map());
  for (const [tester, counts] of fromTester) vote(tally(found.testers, tester), round.at, counts);
  for (const [url, counts] of toUrl) {
    vote(tally(found.targets, url), round.at, counts);
    vote(tally(ofType, url), round.at, counts);
  }
  for (const cell of cells) tally(found.tests, testOf(cell)).add(round.at, Number(hasFailed(cell, depth)));
};

interface Counts {
  succeeded: number;
  /** Vouched for by another test. */
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
