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
// 3. Proxy: what remains, where one test failed `faultAfter` rounds in a row. A single proxy, tester or url is never
//    compared with anything, so its failures remain too.
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
// a tester was dead that is sound by now.

import type { Fault } from '../../store/test-store.ts';
import { tellingCells } from './fault-evidence.ts';
import { outageReason, proxyReason, targetReason, testerReason } from './fault-reasons.ts';
import { type FaultCell, newestRounds, type Survey, survey } from './fault-survey.ts';
import { judge, type Verdicts } from './fault-verdicts.ts';

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

/**
 * The faults that stand after a run; `standing` are those that stood before it. Cells must be of proxies, urls and
 * testers that are still configured; their order is of no account. A run without results changes nothing.
 */
export const attributeFaults = (
  cells: Iterable<FaultCell>,
  standing: readonly Subject[],
  { faultAfter, since }: FaultOptions,
): Blame[] => {
  const rounds = newestRounds(cells);
  const hasNews = rounds.some((round) => round.at >= since);
  if (!hasNews) return standing.map(({ kind, subject }) => blame(kind, subject, 'no new results'));
  const stood = new Set(standing.map(keyOf));
  const stands = (kind: Fault['kind'], subject: string): boolean => stood.has(keyOf({ kind, subject }));
  const surveys: Survey[] = [];
  const surveyAt = (depth: number): Survey => {
    surveys[depth] ??= survey(rounds, depth, since);
    return surveys[depth];
  };
  const verdicts = judge(
    Array.from({ length: faultAfter }, (_, depth) => surveyAt(depth)),
    stands,
  );

  const proxies = rounds.flatMap((round) => {
    const wasBlamed = stands('proxy', round.proxy);
    const isNew = round.at >= since;
    const telling = isNew ? tellingCells(round, wasBlamed, { verdicts, surveyAt, faultAfter }) : [];
    const isBlamed = isNew ? telling.length > 0 : wasBlamed;
    return isBlamed ? [blame('proxy', round.proxy, proxyReason(round, telling))] : [];
  });
  return [...blamesOf(verdicts), ...proxies].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
};

const keyOf = ({ kind, subject }: Subject): string => `${kind} ${subject}`;

const blame = (kind: Fault['kind'], subject: string, reason: string): Blame => ({ kind, subject, reason });

const blamesOf = ({ outage, testers, targets, targetsByType }: Verdicts): Blame[] => {
  const ofOneType = [...targetsByType].flatMap(([type, faulty]) =>
    [...faulty]
      .filter(([url]) => !targets.has(url))
      .map(([url, tally]) => blame('target', url, targetReason(tally, type))),
  );
  const byUrl = new Map(ofOneType.map((each) => [each.subject, each]));
  return [
    ...(outage ? [blame('provider', '', outageReason(outage))] : []),
    ...[...testers].map(([tester, tally]) => blame('tester', tester, testerReason(tally))),
    ...[...targets].map(([url, tally]) => blame('target', url, targetReason(tally))),
    ...byUrl.values(),
  ];
};
