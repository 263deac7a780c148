// Whose fault it is: blames failing tests on the provider, a tester, a target or the proxy.
//
// A failing test has four suspects, and the error's source and code name none of them reliably: they are open sets, may
// be missing, and a dead tester blames whatever it could not reach first. So the pattern of the matrix proxy × url ×
// tester decides, by controlled comparison: a failure counts against a tester only where another tester got the same
// proxy to the same url, against a target only where the same proxy and tester got to another url (`fault-survey.ts`).
// Faults of two kinds at once do not hide each other that way, and nothing needs to be explained in rounds of guessing.
//
// 1. Provider: at least half of 10 or more proxies fail in all their tests. It explains all of those.
// 2. Tester, target: at least half of the votes of 5 or more proxies are against it, and another one is sound. A target is
//    judged over all proxies and for each product type: many block one kind of address. It explains the tests it is in.
// 3. Proxy: what remains, where one test failed `faultAfter` rounds in a row.
//
// With one target or one tester, a proxy that fails in all its tests is compared with nothing but other proxies. As long as
// most of those get through, they vouch for target and testers, and the fault is the proxy's. Where they don't, the error
// source decides (`fault-causes.ts`): `target` for half of all proxies blames the target, `proxy` the proxy, or the provider
// where many say so. Any other source, and none, blames nobody, and that is said (`inconclusive.ts`).
//
// What a failure says of the proxy depends on how often the same test failed in that round for other proxies that work:
// from a tester that fails every third one, two in a row are nothing. The row must be long enough to be rare by chance.
// That also keeps proxies from blame while a tester or target is about to be judged, after it has recovered, and where
// one tester alone cannot reach one target.
//
// A gateway whose many ports fail together is many dead proxies: these vote on no tester or target, and are the
// provider's only when half of all proxies are.
//
// So that blame does not flap: a fault of a tester, target or the provider ends below a quarter, not below half; where
// each round shows all proxies, only after `faultAfter` such rounds. A proxy's ends after `faultAfter` rounds without
// a failure that would count.
//
// Testing all proxies may take many runs. So testers, targets and the provider are judged by the newest results
// (`tally.ts`), and a proxy's blame begins and ends with its own new results alone: old ones may be from a time when
// a tester was dead that is sound by now. For the same reason the words of why it is blamed stay until then.

import type { Fault, Inconclusive } from '../../../store/test-store.ts';
import { tellingCells } from './evidence.ts';
import { inconclusiveIn } from './inconclusive.ts';
import { type FaultCell, newestRounds, type ProxyRound } from './proxy-round.ts';
import { namedReason, outageReason, proxyReason, targetReason, testerReason } from './reasons.ts';
import { type Survey, survey } from './survey.ts';
import { judge, type Verdicts } from './verdicts.ts';

export interface FaultOptions {
  /** Failing rounds in a row before a proxy is blamed: 1 to 8, the rounds that a cell remembers. */
  readonly faultAfter: number;
  /** Results stored from then on are new (ms): the start of the run. */
  readonly since: number;
}

export type Subject = Pick<Fault, 'kind' | 'subject'>;

/** Who is to blame, and why in words. */
export interface Blame extends Subject {
  readonly reason: string;
}

/** The faults, and the failures that nothing attributes. */
export interface Judgement {
  readonly faults: readonly Blame[];
  readonly inconclusive: readonly Inconclusive[];
}

/**
 * How things stand after a run; `standing` is how they stood before it. Cells must be of proxies, urls and testers that
 * are still configured; their order does not matter. A run without results changes nothing, not even a reason.
 */
export const attributeFaults = (
  cells: Iterable<FaultCell>,
  standing: Judgement,
  { faultAfter, since }: FaultOptions,
): Judgement => {
  const rounds = newestRounds(cells);
  if (!rounds.some((round) => round.at >= since)) return standing;
  const stood = new Map(standing.faults.map((fault) => [keyOf(fault), fault]));
  const isOpen = new Set(standing.inconclusive.map(({ url }) => url));
  const stands = (kind: Fault['kind'] | 'nobody', subject: string): boolean =>
    kind === 'nobody' ? isOpen.has(subject) : stood.has(keyOf({ kind, subject }));
  const surveys: Survey[] = [];
  const surveyAt = (depth: number): Survey => {
    surveys[depth] ??= survey(rounds, depth, since);
    return surveys[depth];
  };
  const verdicts = judge(
    Array.from({ length: faultAfter }, (_, depth) => surveyAt(depth)),
    stands,
  );
  const blameOfProxy = (round: ProxyRound): Blame | undefined => {
    const before = stood.get(keyOf({ kind: 'proxy', subject: round.proxy }));
    if (round.at < since) return before;
    const telling = tellingCells(round, before !== undefined, { verdicts, surveyAt, faultAfter });
    return telling.length > 0 ? blame('proxy', round.proxy, proxyReason(round, telling)) : undefined;
  };
  const proxies = rounds.flatMap((round) => blameOfProxy(round) ?? []);
  const blamed = new Set(proxies.map(({ subject }) => subject));
  return {
    faults: [...blamesOf(verdicts), ...proxies].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)),
    inconclusive: inconclusiveIn(rounds, blamed, (url) => isOpen.has(url), { verdicts, faultAfter }),
  };
};

const keyOf = ({ kind, subject }: Subject): string => `${kind} ${subject}`;

const blame = (kind: Fault['kind'], subject: string, reason: string): Blame => ({ kind, subject, reason });

const blamesOf = ({ outage, testers, targets, targetsByType, named }: Verdicts): Blame[] => {
  // By url, what is said of all proxies in place of what is said of some.
  const faulty = new Map([
    ...[...named].map(([url, tally]) => [url, namedReason(tally)] as const),
    ...[...targetsByType].flatMap(([type, tallies]) =>
      [...tallies].map(([url, tally]) => [url, targetReason(tally, type)] as const),
    ),
    ...[...targets].map(([url, tally]) => [url, targetReason(tally)] as const),
  ]);
  return [
    ...(outage ? [blame('provider', '', outageReason(outage))] : []),
    ...[...testers].map(([tester, tally]) => blame('tester', tester, testerReason(tally))),
    ...[...faulty].map(([url, reason]) => blame('target', url, reason)),
  ];
};
