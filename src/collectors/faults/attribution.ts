// Attributes failing tests to a fault of the provider, a tester, a target or the proxy.
//
// A failing test has four possible causes, and the error's source and code identify none of them reliably. They are open
// sets, may be missing, and a dead tester blames whatever it could not reach first. So the pattern of the matrix proxy ×
// url × tester decides, by controlled comparison. A failure counts against a tester only if another tester got the same
// proxy to the same url. It counts against a target only if the same proxy and tester got to another url
// (`round-tallies.ts`). So faults of two kinds at the same time do not hide each other, and one pass is enough.
//
// 1. Provider: at least half of 10 or more proxies fail in all their tests. This explains the failures of all of these.
// 2. Tester, target: at least half of the votes of 5 or more proxies are against it, and another one is healthy. A target
//    is assessed over all proxies and for each product type, because many targets block one kind of address. This explains
//    the failures of all tests with that tester or target.
// 3. Proxy: what remains, if one test failed `faultAfter` rounds in a row.
//
// With only one target or one tester, a proxy that fails in all its tests can be compared only with other proxies. As long
// as most of those succeed, they show that target and testers work, and the fault is the proxy's. Otherwise the error
// source decides (`causes.ts`). `target` for half of all proxies means a fault of the target. `proxy` means a fault of the
// proxy, or of the provider if many proxies have it. With any other source or none, the failures are inconclusive
// (`evidence.ts`).
//
// How much a failure counts against the proxy depends on how often the same test failed in that round for other proxies
// that work. If a tester fails for every third proxy, two failures in a row mean nothing. The row must be long enough to be
// rare by chance. This also protects proxies before a fault of a tester or target is found, after it has ended, and if only
// one tester cannot reach one target.
//
// If the many ports of a gateway fail together, they are many dead proxies. Dead proxies do not vote on testers or targets,
// and are a fault of the provider only if half of all proxies are dead.
//
// Faults must not flap. So a fault of a tester, a target or the provider ends below a quarter, not below half. If each round
// tests all proxies, it ends only after `faultAfter` such rounds. A proxy's fault ends after `faultAfter` rounds without a
// failure that would count in full.
//
// Testing all proxies may take many runs. So testers, targets and the provider are assessed by the newest results
// (`Tally`), and a proxy's fault begins and ends only with its own new results. Old results may be from a time when a
// tester was dead that works by now. The reason of a proxy's fault stays until then as well.

import { flatMapInSteps, runAtOnce, type Steps } from '../../lib/steps.ts';
import type { Fault, FaultScope, InconclusiveFailures } from '../../store/test-store.ts';
import { type Assessment, assess } from './assessment.ts';
import { isOfTester } from './causes.ts';
import { cellsAgainstProxy, findInconclusive } from './evidence.ts';
import { isPolicy } from './own-setting.ts';
import {
  consecutiveFailures,
  type FaultCell,
  hasFailed,
  newestRounds,
  type ProxyRound,
} from './proxy-round.ts';
import {
  commonCode,
  namedTargetReason,
  outageReason,
  proxyReason,
  targetReason,
  testerReason,
} from './reasons.ts';
import { type RoundTallies, tallyInSteps } from './round-tallies.ts';

export interface FaultOptions {
  /** Failing rounds in a row before a proxy is at fault: 1 to 8, because a cell keeps the outcomes of 8 rounds. */
  readonly faultAfter: number;
  /** The start of the run (ms). Results stored from then on are new. */
  readonly since: number;
  /** The time in which each proxy is tested once (ms). Without it, a round has only the results of the same time. */
  readonly cycleMs?: number;
  /** Whether many dead proxies show a fault of the provider; true if not given. */
  readonly findsOutages?: boolean;
}

export type FaultSubject = Pick<Fault, 'kind' | 'subject'>;

/** Results that are missing count as before for two rounds. The half allows for a late one. */
const KEPT_CYCLES = 2.5;

export interface AttributedFault
  extends FaultSubject,
    Pick<Fault, 'reason' | 'scope' | 'code' | 'inventory'> {
  /** Since when it exists (ms), of a fault that was stored. */
  readonly since?: number;
}

export interface Attribution {
  readonly faults: readonly AttributedFault[];
  readonly inconclusive: readonly InconclusiveFailures[];
}

/**
 * Returns the attribution after a run; `previous` is the one before it. The cells must belong to proxies, urls and testers
 * that are still configured; their order does not matter. A run without results changes nothing, not even a reason. It runs
 * in steps, because ten thousand proxies take longer than the event loop may be blocked.
 */
export function* attributeFaults(
  cells: Iterable<FaultCell>,
  previous: Attribution,
  { faultAfter, since, cycleMs = 0, findsOutages = true }: FaultOptions,
): Steps<Attribution> {
  const rounds = newestRounds(cells, KEPT_CYCLES * cycleMs);
  if (!rounds.some((round) => round.at >= since)) return previous;
  const faultBefore = faultLookup(previous.faults);
  const previousInconclusive = new Set(previous.inconclusive.map(({ url }) => url));
  const wasFound = (kind: Fault['kind'] | 'inconclusive', subject: string): boolean =>
    kind === 'inconclusive' ? previousInconclusive.has(subject) : faultBefore(kind, subject) !== undefined;
  yield;
  const tally = (depth: number): Steps<RoundTallies> => tallyInSteps(rounds, depth, { since, findsOutages });
  const talliesByDepth: RoundTallies[] = [];
  for (let depth = 0; depth < faultAfter; depth++) talliesByDepth.push(yield* tally(depth));
  const assessment = assess([...talliesByDepth], wasFound);
  const talliesAt = (depth: number): RoundTallies => {
    talliesByDepth[depth] ??= runAtOnce(tally(depth));
    return talliesByDepth[depth];
  };
  const faultOfProxy = (round: ProxyRound): AttributedFault | undefined => {
    const before = faultBefore('proxy', round.proxy);
    if (round.at < since) return before;
    // Testers that fail themselves show nothing new about the proxy.
    if (before && round.cells.every((cell) => hasFailed(cell, 0) && isOfTester(cell, 0))) return before;
    const evidence = cellsAgainstProxy(round, before !== undefined, { assessment, talliesAt, faultAfter });
    if (evidence.length === 0) return undefined;
    return { ...toFault('proxy', round.proxy, proxyReason(round, evidence)), code: commonCode(evidence) };
  };
  const proxyFaults = yield* flatMapInSteps(rounds, (round) => {
    const fault = faultOfProxy(round);
    return fault ? [fault] : [];
  });
  const faultyProxies = new Set(proxyFaults.map(({ subject }) => subject));
  return {
    faults: [...faultsOf(assessment), ...proxyFaults].sort(byKindAndSubject),
    inconclusive: findInconclusive(rounds, faultyProxies, (url) => previousInconclusive.has(url), {
      assessment,
      talliesAt,
      faultAfter,
    }),
  };
}

export const byKindAndSubject = (a: FaultSubject, b: FaultSubject): number => {
  if (a.kind !== b.kind) return a.kind < b.kind ? -1 : 1;
  return a.subject < b.subject ? -1 : Number(a.subject > b.subject);
};

/** Equal for faults of the same kind and subject. */
export const faultKey = ({ kind, subject }: FaultSubject): string => `${kind} ${subject}`;

/** Whether the fault concerns one proxy alone: the proxy itself, or the access to it. */
export const isOfOneProxy = ({ kind }: Pick<Fault, 'kind'>): boolean => kind === 'proxy' || kind === 'access';

/** The subject of the provider is empty. */
export type FaultLookup = (kind: Fault['kind'], subject: string) => AttributedFault | undefined;

export const faultLookup = (faults: readonly AttributedFault[]): FaultLookup => {
  const byKey = new Map(faults.map((fault) => [faultKey(fault), fault]));
  return (kind, subject) => byKey.get(faultKey({ kind, subject }));
};

const toFault = (kind: Fault['kind'], subject: string, reason: string): AttributedFault => ({
  kind,
  subject,
  reason,
});

const faultsOf = ({
  outage,
  faultyTesters,
  faultyTargets,
  faultyTargetsByType,
  namedTargets,
}: Assessment): AttributedFault[] => {
  // The reason of a fault over all proxies replaces the reason of one over some of them.
  const reasonByUrl = new Map([
    ...[...namedTargets].map(([url, tally]) => [url, namedTargetReason(tally)] as const),
    ...[...faultyTargetsByType].flatMap(([type, tallies]) =>
      [...tallies].map(([url, tally]) => [url, targetReason(tally, type)] as const),
    ),
    ...[...faultyTargets].map(([url, tally]) => [url, targetReason(tally)] as const),
  ]);
  return [
    ...(outage ? [toFault('provider', '', outageReason(outage))] : []),
    ...[...faultyTesters].map(([tester, tally]) => toFault('tester', tester, testerReason(tally))),
    ...[...reasonByUrl].map(([url, reason]) => ({
      ...toFault('target', url, reason),
      ...(!faultyTargets.has(url) && { scope: scopeOf(url, faultyTargetsByType, namedTargets) }),
    })),
  ];
};

const scopeOf = (
  url: string,
  byType: Assessment['faultyTargetsByType'],
  namedTargets: Assessment['namedTargets'],
): FaultScope => ({
  productTypes: [...byType].filter(([, tallies]) => tallies.has(url)).map(([type]) => type),
  isNamed: namedTargets.has(url),
});

const POLICY_REASON = 'the provider’s policy refuses this target through these proxies';

/** Finds the targets that a policy of the provider refuses to a product type. Its refusals are no fault of the proxies. */
export const policyFaults = (
  cells: readonly FaultCell[],
  faultAfter: number,
  wasFound: (url: string) => boolean,
): AttributedFault[] =>
  [...Map.groupBy(cells, ({ url }) => url)].flatMap(([url, atUrl]) => {
    const byType = Map.groupBy(atUrl, ({ productType }) => productType);
    const productTypes = [...byType].flatMap(([type, ofType]) => {
      const refused = ofType.filter((cell) => hasFailed(cell, 0) && isPolicy(cell));
      const lasting = refused.filter((cell) => consecutiveFailures(cell) >= faultAfter);
      const isFound = wasFound(url)
        ? 4 * refused.length >= ofType.length
        : lasting.length > 0 && 2 * lasting.length >= ofType.length;
      return isFound ? [type] : [];
    });
    if (productTypes.length === 0) return [];
    const scope = { productTypes: productTypes.sort(), isNamed: false };
    return [{ kind: 'target', subject: url, reason: POLICY_REASON, scope, code: 'tunnel_policy' } as const];
  });
