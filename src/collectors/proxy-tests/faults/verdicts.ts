// Which testers and targets are at fault, and whether the provider is: readings of the surveys.

import type { Survey } from './survey.ts';
import type { Tally } from './tally.ts';

export const MIN_PROXIES = 5;
export const MIN_PROXIES_OF_OUTAGE = 10;

type Tallies = ReadonlyMap<string, Tally>;

export interface Verdicts {
  readonly outage: Tally | undefined;
  readonly testers: Tallies;
  readonly targets: Tallies;
  /** By product type. */
  readonly targetsByType: ReadonlyMap<string, Tallies>;
  /** Targets that results name where there is nothing to compare. */
  readonly named: Tallies;
  /** Urls where so many proxies fail without a comparison that the others don't vouch for target and testers. */
  readonly unvouched: Tallies;
}

/** `surveys` are of the newest round and of those before it; `stands` tells the faults that stood until now. */
export const judge = (
  surveys: readonly Survey[],
  stands: (kind: 'tester' | 'target' | 'provider' | 'nobody', subject: string) => boolean,
): Verdicts => {
  const outages = surveys.map((each) => each.dead);
  const types = new Set(surveys.flatMap((each) => [...each.targetsByType.keys()]));
  const targetsAmong = (tallies: readonly Tallies[]): Tallies =>
    faultyAmong(tallies, (url) => stands('target', url));
  /** What few proxies say counts when they say it in each of the rounds that blame takes. */
  const isSure = (tallies: readonly Tally[], url: string): boolean =>
    stands('target', url) || (tallies.length === surveys.length && tallies.every((tally) => tally.isFaulty));
  return {
    outage: isAtFault(outages, stands('provider', ''), MIN_PROXIES_OF_OUTAGE) ? outages[0] : undefined,
    testers: faultyAmong(
      surveys.map((each) => each.testers),
      (tester) => stands('tester', tester),
    ),
    targets: targetsAmong(surveys.map((each) => each.targets)),
    targetsByType: new Map(
      [...types].map((type) => [
        type,
        targetsAmong(surveys.map((each) => each.targetsByType.get(type) ?? new Map())),
      ]),
    ),
    named: unrivalled(
      surveys.map((each) => each.named),
      (tallies, url) => isAtFault(tallies, stands('target', url), isSure(tallies, url) ? 1 : MIN_PROXIES),
    ),
    unvouched: unrivalled(
      surveys.map((each) => each.alone),
      (tallies, url) => isAtFault(tallies, stands('nobody', url), 1),
    ),
  };
};

/** Where nothing is compared no other one needs to be sound. */
const unrivalled = (
  rounds: readonly Tallies[],
  isOne: (tallies: readonly Tally[], url: string) => boolean,
): Tallies =>
  new Map(
    [...(rounds[0] ?? [])].filter(([url]) =>
      isOne(
        rounds.flatMap((tallies) => tallies.get(url) ?? []),
        url,
      ),
    ),
  );

/** None are at fault unless another one is sound: where all fail, the cause lies elsewhere. */
const faultyAmong = (rounds: readonly Tallies[], stands: (subject: string) => boolean): Tallies => {
  const newest = [...(rounds[0] ?? [])];
  const faulty = newest.filter(([subject]) => {
    const tallies = rounds.flatMap((tallies) => tallies.get(subject) ?? []);
    return isAtFault(tallies, stands(subject), MIN_PROXIES);
  });
  const judged = newest.filter(([, tally]) => tally.size >= MIN_PROXIES);
  return new Map(judged.length > faulty.length ? faulty : []);
};

/** Rounds before the newest count only where each round shows all proxies: elsewhere they are a cycle old. */
const isAtFault = ([newest, ...earlier]: readonly Tally[], stood: boolean, minProxies: number): boolean => {
  if (!newest || newest.size < minProxies) return false;
  if (newest.isFaulty) return true;
  return stood && (!newest.isSound || (newest.isWhole && earlier.some((tally) => !tally.isSound)));
};
