// Judges what the daemon says about a world, knowing what is really broken in it.

import { MINUTE } from '../../src/lib/time.ts';
import type { Fault } from '../../src/store/test-store.ts';
import { isCutOff } from './answers.ts';
import type { Said } from './play.ts';
import { proxyOf, type Truth, targetOf, testerOf, type World } from './truth.ts';

/** Who found a fault: the provider's tests, or the probes from here. */
export type Side = 'tests' | 'here';
type Found = Pick<Fault, 'kind' | 'subject' | 'reason'>;

/** `unknown`: it says that the proxy is unusable from here, and that it does not know whether it also fails elsewhere. */
export type Judgement = 'right' | 'unknown' | 'wrong';

/** Something that is said and that the truths do not explain. */
export interface Mistake {
  /** Milliseconds since the world began. */
  readonly at: number;
  readonly text: string;
}

/** An outage of the provider can only be told from many faults of proxies if there are many proxies. */
const MANY = 10;

const PASSES_ELSEWHERE = /passes from the provider’s testers/;
const LEAVES_OPEN =
  /not tested it since|have no (newer )?results?|fails? from here|pass again, but not for long enough/;

/** Whether a reason leaves open that the proxy also fails elsewhere. */
export const admitsDoubt = (reason: string): boolean =>
  LEAVES_OPEN.test(reason) && !PASSES_ELSEWHERE.test(reason);

const OWN_OF_MACHINE: ReadonlySet<Truth['kind']> = new Set([
  ...(['firewall', 'wrong_here', 'options', 'no_node', 'credentials'] as const),
]);

/** Whether a truth explains that the daemon blames the subject of the fault. */
const judge = (world: World, truth: Truth, fault: Found): Judgement => {
  const { kind, subject } = fault;
  switch (kind) {
    case 'proxy':
      return isOfProxy(world, truth, subject) ? 'right' : 'wrong';
    case 'access':
      return judgeAccess(world, truth, fault);
    case 'target':
      return isOfTarget(truth, subject) ? 'right' : 'wrong';
    case 'tester':
      return truth.kind === 'tester' && subject === testerOf(truth.tester) ? 'right' : 'wrong';
    case 'provider':
      return isOutage(truth) ? 'right' : 'wrong';
  }
};

const isOutage = ({ kind }: Truth): boolean => kind === 'provider' || kind === 'answering';

const isAbout = (truth: Truth, proxy: string): boolean => 'proxy' in truth && proxy === proxyOf(truth.proxy);

const isOfTarget = (truth: Truth, subject: string): boolean =>
  'target' in truth && truth.kind !== 'control' && subject === targetOf(truth.target);

/**
 * From here, a firewall looks like a proxy that is down, if nobody else tests it. So does a line that is down, if it has
 * nothing to be compared with: no control, no tester and no other proxy.
 */
const isOfProxy = (world: World, truth: Truth, subject: string): boolean => {
  if (isOutage(truth)) return world.proxies < MANY;
  if (truth.kind === 'line') return !world.hasControls && world.testers === 0 && world.proxies === 1;
  const isDown = truth.kind === 'dead' || (truth.kind === 'firewall' && world.testers === 0);
  return isDown && isAbout(truth, subject);
};

const judgeAccess = (world: World, truth: Truth, { subject, reason }: Found): Judgement => {
  if (truth.kind === 'password') return 'right';
  if (OWN_OF_MACHINE.has(truth.kind) && isAbout(truth, subject)) return 'right';
  // Without controls, nothing shows that this machine works.
  const isHiddenLine = truth.kind === 'line' && !world.hasControls;
  const passesElsewhere = PASSES_ELSEWHERE.test(reason);
  if (isHiddenLine && passesElsewhere) return 'right';
  const isDown = (truth.kind === 'dead' && isAbout(truth, subject)) || isOutage(truth) || isHiddenLine;
  return isDown && admitsDoubt(reason) ? 'unknown' : 'wrong';
};

/** Until when a fault may still be reported after its truth has ended: rounds that show nothing do not end it. */
const lingersUntil = (world: World, truth: Truth, side: Side, at: number): number => {
  const every = (side === 'tests' ? world.testEvery : world.probeEvery) * MINUTE;
  const others = world.truths.filter((other) => other !== truth);
  const masked = others.reduce((sum, { begin, end }) => {
    const overlap = Math.max(0, Math.min(end, at) - Math.max(begin, truth.end));
    const isMasking = end > truth.end && begin < at;
    return sum + overlap + (isMasking ? every * (world.faultAfter + 1) : 0);
  }, 0);
  return truth.end + (world.faultAfter + 2) * every + masked;
};

/** The best judgement of a fault by all truths that are or were active. */
const judgeFault = (world: World, side: Side, at: number, fault: Found): Judgement => {
  const judgements = world.truths
    .filter((truth) => truth.begin <= at && at < lingersUntil(world, truth, side, at))
    .map((truth) => judge(world, truth, fault));
  return (['right', 'unknown'] as const).find((best) => judgements.includes(best)) ?? 'wrong';
};

const faultsOf = ({ tests, here }: Said): { readonly side: Side; readonly fault: Fault }[] => [
  ...tests.map((fault) => ({ side: 'tests' as const, fault })),
  ...here.map((fault) => ({ side: 'here' as const, fault })),
];

/** The faults that blame something that works. */
export const mistakesIn = (world: World, said: Said): Mistake[] => {
  const faults = faultsOf(said)
    .filter(({ side, fault }) => judgeFault(world, side, said.at, fault) === 'wrong')
    .map(({ side, fault }) => `${side} ${fault.kind} ${fault.subject}: ${fault.reason}`);
  const line = said.isLineDown && !canLineBeDown(world, said.at) ? ['the line is said to be down'] : [];
  return [...faults, ...line].map((text) => ({ at: said.at, text }));
};

/** If nothing answers from here, nothing shows that the line works. Rounds of probes begin up to a minute after their slot. */
const canLineBeDown = (world: World, at: number): boolean => {
  const lines = world.truths.filter(({ kind }) => kind === 'line');
  if (lines.some((line) => line.begin <= at && at < lingersUntil(world, line, 'here', at))) return true;
  const minutes = Array.from({ length: world.probeEvery + 2 }, (_, index) => at - index * MINUTE);
  return minutes.some((minute) => isCutOff(world, minute));
};

/** The verdict on a truth: the kind of the fault that names it, or `unknown` if it only leaves the cause open. */
export type Verdict = Fault['kind'] | 'unknown' | 'none';

export const verdictOn = (world: World, truth: Truth, said: Said): Verdict => {
  const found = faultsOf(said).map(({ fault }) => ({ fault, judgement: judge(world, truth, fault) }));
  const right = found.find(({ judgement }) => judgement === 'right');
  if (right) return right.fault.kind;
  const isOpen = said.inconclusive.length > 0 || found.some(({ judgement }) => judgement === 'unknown');
  return isOpen ? 'unknown' : 'none';
};
