// Judges what the daemon says about a world, knowing what is really broken in it.

import { MINUTE } from '../../src/lib/time.ts';
import type { Fault } from '../../src/store/test-store.ts';
import type { Said } from './play.ts';
import { isActive, proxyOf, type Truth, targetOf, testerOf, typeOf, type World } from './truth.ts';

export type Side = 'tests' | 'here';
type Found = Pick<Fault, 'kind' | 'subject' | 'reason'>;

/** `unknown`: it says that the proxy is unusable from here, and that it does not know whether it also fails elsewhere. */
export type Judgement = 'right' | 'unknown' | 'wrong';

/** An outage of the provider can only be told from many faults of proxies if there are many proxies. */
const MANY = 10;

const NOT_KNOWN_ELSEWHERE =
  /not tested it since|have no (newer )?results?|fail from here in the same way|fails? from here/;
const RECOVERS = /pass again, but not for long enough/;
const PASSES_ELSEWHERE = /passes from the provider’s testers/;

/** Whether a reason leaves open that the proxy also fails elsewhere. */
export const admitsDoubt = (reason: string): boolean =>
  (NOT_KNOWN_ELSEWHERE.test(reason) || RECOVERS.test(reason)) && !PASSES_ELSEWHERE.test(reason);

/** Whether a truth explains that the daemon blames the subject of the fault. */
export const judge = (world: World, truth: Truth, { kind, subject, reason }: Found): Judgement => {
  const isProxy = 'proxy' in truth && subject === proxyOf(truth.proxy);
  const hasTests = world.testers > 0;
  const isOutage = truth.kind === 'provider' || truth.kind === 'answering';
  switch (kind) {
    case 'proxy':
      if (isProxy && truth.kind === 'dead') return 'right';
      if (isProxy && truth.kind === 'firewall' && !hasTests) return 'right';
      return isOutage && world.proxies < MANY ? 'right' : 'wrong';
    case 'access': {
      if (isProxy && ['firewall', 'wrong_here', 'options', 'no_node', 'credentials'].includes(truth.kind))
        return 'right';
      if (truth.kind === 'line' && !world.hasControls && PASSES_ELSEWHERE.test(reason)) return 'right';
      // Without controls, nothing shows that this machine works.
      const isDown =
        (isProxy && truth.kind === 'dead') || isOutage || (truth.kind === 'line' && !world.hasControls);
      return isDown && admitsDoubt(reason) ? 'unknown' : 'wrong';
    }
    case 'target':
      return 'target' in truth && truth.kind !== 'control' && subject === targetOf(truth.target)
        ? 'right'
        : 'wrong';
    case 'tester':
      return truth.kind === 'tester' && subject === testerOf(truth.tester) ? 'right' : 'wrong';
    case 'provider':
      return isOutage ? 'right' : 'wrong';
  }
};

const everyOf = (world: World, side: Side): number =>
  (side === 'tests' ? world.testEvery : world.probeEvery) * MINUTE;

/** Until when a fault may still be reported after its truth has ended: rounds that show nothing do not end it. */
const lingersUntil = (world: World, truth: Truth, side: Side, at: number): number => {
  const every = everyOf(world, side);
  const others = world.truths.filter((other) => other !== truth);
  const masked = others.reduce(
    (sum, { begin, end }) =>
      sum +
      Math.max(0, Math.min(end, at) - Math.max(begin, truth.end)) +
      (end > truth.end && begin < at ? every * (world.faultAfter + 1) : 0),
    0,
  );
  return truth.end + (world.faultAfter + 2) * every + masked;
};

export interface Mistake {
  readonly at: number;
  readonly side: Side;
  readonly fault: Found;
}

/** The best judgement of a fault by all truths that are or were active. */
export const judgeFault = (world: World, side: Side, at: number, fault: Found): Judgement => {
  const judgements = world.truths
    .filter((truth) => truth.begin <= at && at < lingersUntil(world, truth, side, at))
    .map((truth) => judge(world, truth, fault));
  return judgements.includes('right') ? 'right' : judgements.includes('unknown') ? 'unknown' : 'wrong';
};

export const faultsOf = (said: Said): { readonly side: Side; readonly fault: Fault }[] => [
  ...said.tests.map((fault) => ({ side: 'tests' as const, fault })),
  ...said.here.map((fault) => ({ side: 'here' as const, fault })),
];

export const mistakesIn = (world: World, said: Said): Mistake[] =>
  faultsOf(said).flatMap(({ side, fault }) =>
    judgeFault(world, side, said.at, fault) === 'wrong' ? [{ at: said.at, side, fault }] : [],
  );

/** The faults of which the daemon names this truth. */
export const namedFor = (world: World, truth: Truth, said: Said): string => {
  const found = faultsOf(said).map(({ fault }) => ({ fault, judgement: judge(world, truth, fault) }));
  const right = found.find(({ judgement }) => judgement === 'right');
  if (right) return right.fault.kind;
  if (found.some(({ judgement }) => judgement === 'unknown') || said.inconclusive.length > 0)
    return 'unknown';
  return 'none';
};

export const isAlone = (world: World, truth: Truth): boolean =>
  world.truths.every(
    (other) => other === truth || other.end + 6 * 60 * MINUTE <= truth.begin || other.begin >= truth.end,
  );

export { isActive, typeOf };
