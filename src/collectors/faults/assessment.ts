// Decides from the tallies which testers and targets are at fault, and whether the provider is.

import type { RoundTallies, Tally } from './round-tallies.ts';

export const MIN_PROXIES = 5;
/** So few proxies show a fault of what they share only if all of them fail. */
const FEW_PROXIES = 2;
export const MIN_PROXIES_FOR_OUTAGE = 10;

type Tallies = ReadonlyMap<string, Tally>;

export interface Assessment {
  /** The tally of dead proxies during an outage of the provider; undefined without an outage. */
  readonly outage: Tally | undefined;
  readonly faultyTesters: Tallies;
  readonly faultyTargets: Tallies;
  readonly faultyTargetsByType: ReadonlyMap<string, Tallies>;
  /** Targets that results name as the error source, where nothing can be compared. */
  readonly namedTargets: Tallies;
  /** Urls where so many proxies fail without a comparison that the others do not show that target and testers work. */
  readonly ambiguousUrls: Tallies;
}

/** `talliesByRound` begins with the newest round. `wasFound` returns whether the previous attribution had that fault. */
export const assess = (
  talliesByRound: readonly RoundTallies[],
  wasFound: (kind: 'tester' | 'target' | 'provider' | 'inconclusive', subject: string) => boolean,
): Assessment => {
  const outages = talliesByRound.map((each) => each.deadProxies);
  const types = new Set(talliesByRound.flatMap((each) => [...each.targetsByType.keys()]));
  const { tests } = talliesByRound[0] ?? { tests: new Map() };
  const testersExcept = (faultyTargets: Tallies): Tallies =>
    findFaulty(
      talliesByRound.map((each) => each.testers),
      (tester) => wasFound('tester', tester),
      failingOnce(tests, TESTER, faultyTargets),
    );
  const targetsExcept = (faultyTesters: Tallies, tallies: readonly Tallies[]): Tallies =>
    findFaulty(tallies, (url) => wasFound('target', url), failingOnce(tests, TARGET, faultyTesters));
  const targetTallies = talliesByRound.map((each) => each.targets);
  const faultyTesters = testersExcept(targetsExcept(new Map(), targetTallies));
  const firstTesters = testersExcept(new Map());
  const findTargets = (tallies: readonly Tallies[]): Tallies => targetsExcept(firstTesters, tallies);
  /** The votes of few proxies count if all of them are the same in each of the rounds that a fault takes. */
  const isSure = (tallies: readonly Tally[], url: string): boolean =>
    wasFound('target', url) ||
    (tallies.length === talliesByRound.length && tallies.every(({ isUnanimous }) => isUnanimous));
  return {
    outage: isAtFault(outages, wasFound('provider', ''), MIN_PROXIES_FOR_OUTAGE) ? outages[0] : undefined,
    faultyTesters,
    faultyTargets: findTargets(targetTallies),
    faultyTargetsByType: new Map(
      [...types].map((type) => [
        type,
        findTargets(talliesByRound.map((each) => each.targetsByType.get(type) ?? new Map())),
      ]),
    ),
    namedTargets: filterNewest(
      talliesByRound.map((each) => each.namedTargets),
      (tallies, url) => isAtFault(tallies, wasFound('target', url), isSure(tallies, url) ? 1 : MIN_PROXIES),
    ),
    ambiguousUrls: filterNewest(
      talliesByRound.map((each) => each.uncompared),
      (tallies, url) => isAtFault(tallies, wasFound('inconclusive', url), 1),
    ),
  };
};

/** The place of a target and of a tester in the key of a test, see `testKeyOf`. */
const TARGET = 0;
const TESTER = 1;

/**
 * Finds the targets or testers of which most proxies fail exactly one test, and pass the others. Neither the target nor the
 * tester of this test is at fault then, but the way from one to the other. Failing tests of `faulty`, which are testers or
 * targets at fault, do not count, because they say nothing about the subject.
 */
const failingOnce = (tests: Tallies, part: typeof TARGET | typeof TESTER, faulty: Tallies): IsSubject => {
  const bySubject = Map.groupBy(tests, ([key]) => key.split('\n')[part] ?? '');
  return (subject) => {
    const all = bySubject.get(subject) ?? [];
    const counted = all.filter(
      ([key, { isHealthy }]) => isHealthy || !faulty.has(key.split('\n')[1 - part] ?? ''),
    );
    const healthy = counted.filter(([, { isHealthy }]) => isHealthy);
    const failing = counted.filter(([, { isFaulty }]) => isFaulty);
    return (
      all.some(([, { isFaulty }]) => isFaulty) &&
      healthy.length > 0 &&
      failing.length <= 1 &&
      healthy.length + failing.length === counted.length
    );
  };
};

type IsSubject = (subject: string) => boolean;

/** Filters the urls of the newest round by their tallies of all rounds. Nothing is compared, so no other url needs to be healthy. */
const filterNewest = (
  rounds: readonly Tallies[],
  isIncluded: (tallies: readonly Tally[], url: string) => boolean,
): Tallies =>
  new Map(
    [...(rounds[0] ?? [])].filter(([url]) =>
      isIncluded(
        rounds.flatMap((tallies) => tallies.get(url) ?? []),
        url,
      ),
    ),
  );

/**
 * Finds faulty subjects. None is at fault unless another one is not: if all fail, the cause is something else. Few proxies
 * must agree in each of the rounds that a fault takes.
 */
const findFaulty = (
  rounds: readonly Tallies[],
  wasFound: (subject: string) => boolean,
  isExempt: (subject: string) => boolean,
): Tallies => {
  const newest = [...(rounds[0] ?? [])];
  const faulty = newest.filter(([subject]) => {
    if (isExempt(subject)) return false;
    const tallies = rounds.flatMap((tallies) => tallies.get(subject) ?? []);
    const areAgreed = tallies.length === rounds.length && tallies.every(({ isUnanimous }) => isUnanimous);
    return isAtFault(tallies, wasFound(subject), areAgreed || wasFound(subject) ? FEW_PROXIES : MIN_PROXIES);
  });
  const assessed = newest.filter(([, tally]) => tally.votes >= FEW_PROXIES);
  return new Map(assessed.length > faulty.length ? faulty : []);
};

/** Earlier rounds count only if each round tests all proxies. Otherwise their results are a whole cycle old. */
const isAtFault = (
  [newest, ...earlier]: readonly Tally[],
  wasAtFault: boolean,
  minProxies: number,
): boolean => {
  if (!newest || newest.votes < minProxies) return false;
  if (newest.isFaulty) return true;
  return (
    wasAtFault && (!newest.isHealthy || (newest.isComplete && earlier.some((tally) => !tally.isHealthy)))
  );
};
