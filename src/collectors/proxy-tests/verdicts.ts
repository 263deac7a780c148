// Says in one word and one sentence what is at fault for the failing tests of a proxy, a target or a tester.

import { minuteText } from '../../lib/time.ts';
import { adviceOnCause } from '../../prober/advice.ts';
import type { Uptime } from '../../store/test-history-store.ts';
import type { Fault, FaultKind, InconclusiveFailures, TestCell } from '../../store/test-store.ts';
import { type CauseLookup, causeLookup } from '../faults/failure-causes.ts';
import { reasonAndNextStep } from '../faults/next-step.ts';
import { isPolicy, isQuota, REFUSED_EVERYWHERE } from '../faults/own-setting.ts';
import { consecutiveFailures, type FaultCell } from '../faults/proxy-round.ts';
import { inARow } from '../faults/reasons.ts';
import type { ProxySummary, SubjectSummary } from './summaries.ts';

export const VERDICTS = [
  'ok',
  'proxy_at_fault',
  'unusable_here',
  'target_at_fault',
  'tester_at_fault',
  'provider_at_fault',
  'inconclusive',
  'unattributed',
  'untested',
] as const;
export type VerdictWord = (typeof VERDICTS)[number];

export interface Verdict {
  readonly verdict: VerdictWord;
  /** One sentence with the reason, and one that says what to do next about a fault. */
  readonly text: string;
  /** Whether the cause belongs to the user of the proxy, such as a used-up quota, and is no fault. */
  readonly isOwn?: boolean;
  /** The fault of the subject itself; undefined if it has none. */
  readonly fault?: Fault;
}

/** The current faults of an account, and its failures of unknown cause. */
export interface Findings {
  readonly faults: readonly Fault[];
  readonly inconclusive: readonly InconclusiveFailures[];
}

const WORDS: Readonly<Record<FaultKind, VerdictWord>> = {
  proxy: 'proxy_at_fault',
  access: 'unusable_here',
  target: 'target_at_fault',
  tester: 'tester_at_fault',
  provider: 'provider_at_fault',
};

/** Below this share of failures without a fault, a target or tester is healthy. The faults have the same rule. */
const HEALTHY_SHARE = 0.25;

export interface VerdictLimits {
  /** An older newest round shows nothing (ms). */
  readonly daySince: number;
  /** After so many failing rounds in a row, no further round is needed to find a fault. */
  readonly faultAfter: number;
}

/** Judges a proxy by its fault, and by its newest round. */
export const verdictOfProxy = (
  proxy: Pick<ProxySummary, 'id' | 'productType' | 'tests'>,
  { faults, inconclusive }: Findings,
  { daySince, faultAfter }: VerdictLimits,
): Verdict => {
  const { id, tests } = proxy;
  if (tests.length === 0) return { verdict: 'untested', text: 'No test of this proxy has a result yet.' };
  const own = ownFault(id, faults);
  if (own) return atFault(own);
  const newest = tests.reduce((at, test) => Math.max(at, test.at), 0);
  if (newest < daySince)
    return {
      verdict: 'untested',
      text: `No test of this proxy has a result of the last 24 hours; the newest result is of ${minuteText(newest)}.`,
    };
  const round = tests.filter(({ at }) => at === newest);
  const failing = round.filter(({ isSuccessful }) => !isSuccessful);
  if (failing.length === 0)
    return {
      verdict: 'ok',
      text: `${allTests(round.length)} of the newest round (${minuteText(newest)}) succeeded.`,
    };
  const share = shareText(failing.length, round.length);
  const explanation = explain(failing, proxy, faults);
  if (explanation) {
    const { fault, failures } = explanation;
    const explained = failures < failing.length ? `, ${failures} of them` : '';
    return {
      verdict: WORDS[fault.kind],
      text: `${share}${explained} because the ${nameOf(fault)} is at fault: ${reasonAndNextStep(fault)}.`,
    };
  }
  if (failing.every(isQuota)) return overQuota(share);
  if (failing.every(isPolicy)) return againstPolicy(share);
  const unknown = inconclusive.find(({ url }) => failing.some((test) => test.url === url));
  if (unknown) return { verdict: 'inconclusive', text: `${share} for an unknown cause: ${unknown.reason}.` };
  return unexplained(
    share,
    failing.map((cell) => ({ ...cell, productType: proxy.productType })),
    faultAfter,
  );
};

const unexplained = (share: string, failing: readonly FaultCell[], faultAfter: number): Verdict => {
  const streak = Math.max(...failing.map(consecutiveFailures));
  return {
    verdict: 'unattributed',
    text:
      streak < faultAfter
        ? `${share}, and no fault explains them yet: a fault takes ${faultAfter} failing rounds in a row. Next: look again after the next round.`
        : `${share}, ${inARow(streak)}, and nothing shows the cause. Next: run \`proxywatch probe\` with the proxy, the target ${failing[0]?.url} and --control to see which step fails.`,
  };
};

const againstPolicy = (share: string): Verdict => ({
  verdict: 'unattributed',
  text: `${share} because the provider’s policy refuses the target through this proxy. The proxy is not at fault. Next: ${adviceOnCause('tunnel', 'policy')}.`,
});

/** `share` says how many tests or probes fail. */
export const overQuota = (share: string): Verdict => ({
  verdict: 'unattributed',
  isOwn: true,
  text: `${share} because a limit of the proxy user is exceeded: requests, connections or bytes. The proxy is not at fault. Next: ${adviceOnCause('connect', 'quota')}.`,
});

/** A fault of the proxy itself comes first: it also explains why the proxy fails from here. */
const ownFault = (id: string, faults: readonly Fault[]): Fault | undefined =>
  faults.find(({ kind, subject }) => kind === 'proxy' && subject === id) ??
  faults.find(({ kind, subject }) => kind === 'access' && subject === id);

const allTests = (count: number): string => (count === 1 ? 'The only test' : `All ${count} tests`);

const shareText = (failing: number, all: number): string =>
  all === 1 ? 'The only test fails' : `${failing} of ${all} tests ${failing === 1 ? 'fails' : 'fail'}`;

interface Explanation {
  readonly fault: Fault;
  readonly failures: number;
}

/** Returns the fault that explains the most failures; undefined if all faults together explain less than half of them. */
const explain = (
  failing: readonly TestCell[],
  { id, productType }: Pick<ProxySummary, 'id' | 'productType'>,
  faults: readonly Fault[],
): Explanation | undefined => {
  const causeOf: CauseLookup = causeLookup(faults);
  const explaining = failing.flatMap(({ url, tester }) => {
    // A proxy at fault has its verdict already, so it does not matter whether it is dead.
    const kind = causeOf({ proxy: id, productType, url, tester, isProxyDead: false });
    const subject = kind === 'target' ? url : kind === 'tester' ? tester : '';
    return faults.find((fault) => fault.kind === kind && fault.subject === subject) ?? [];
  });
  if (2 * explaining.length < failing.length) return undefined;
  const explanations = [...Map.groupBy(explaining, (fault) => fault)].map(
    ([fault, { length }]): Explanation => ({ fault, failures: length }),
  );
  return explanations.sort((one, other) => other.failures - one.failures)[0];
};

/** Judges a target or a tester by its fault, and by the results of the last 24 hours. */
export const verdictOfSubject = (
  kind: 'target' | 'tester',
  { id, uptime }: Pick<SubjectSummary, 'id' | 'uptime'>,
  { faults, inconclusive }: Findings,
): Verdict => {
  const own = faults.find((fault) => fault.kind === kind && fault.subject === id);
  if (own) return atFault(own);
  const day = uptime['24h'];
  if (day.results === 0)
    return { verdict: 'untested', text: `No test of this ${kind} has a result of the last 24 hours.` };
  const provider = faults.find((fault) => fault.kind === 'provider');
  if (provider) return atFault(provider);
  const unknown = kind === 'target' ? inconclusive.find(({ url }) => url === id) : undefined;
  if (unknown)
    return { verdict: 'inconclusive', text: `Tests fail for an unknown cause: ${unknown.reason}.` };
  const failures = day.results - day.successes;
  const { ownFailures, otherFailures } = day;
  const unattributed = failures - (ownFailures ?? 0) - (otherFailures ?? 0);
  return {
    verdict: unattributed < HEALTHY_SHARE * day.results ? 'ok' : 'unattributed',
    text: describeDay(day),
  };
};

const describeDay = ({ results, successes, ownFailures, otherFailures }: Uptime): string => {
  const failures = results - successes;
  if (failures === 0) return `${allTests(results)} of the last 24 hours succeeded.`;
  const whose =
    ownFailures === null || otherFailures === null
      ? 'it is unknown what is at fault for some of them'
      : `${ownFailures} by its own fault, ${otherFailures} by the fault of others, and ${failures - ownFailures - otherFailures} without a known fault`;
  return `${failures} of ${results} tests of the last 24 hours failed: ${whose}.`;
};

const atFault = (fault: Fault): Verdict => ({
  verdict: WORDS[fault.kind],
  text: `The ${stateOf(fault)} since ${minuteText(fault.since)}: ${reasonAndNextStep(fault)}.`,
  fault,
});

const stateOf = (fault: Fault): string =>
  fault.kind === 'access'
    ? `proxy ${fault.subject} ${isEverywhere(fault) ? 'cannot be used' : 'is unusable from here'}`
    : `${nameOf(fault)} is at fault`;

const isEverywhere = (fault: Fault): boolean =>
  fault.reason.includes(REFUSED_EVERYWHERE) || isOfTestersAlone(fault);

/** Whether the provider's testers alone show the fault. Their codes have no phase of a probe. */
export const isOfTestersAlone = ({ code, reason }: Fault): boolean =>
  !reason.includes(REFUSED_EVERYWHERE) &&
  code !== undefined &&
  !/^(resolve|connect|tunnel|tls|response)_/.test(code);

const nameOf = ({ kind, subject }: { readonly kind: FaultKind; readonly subject: string }): string =>
  subject === '' ? kind : `${kind} ${subject}`;
