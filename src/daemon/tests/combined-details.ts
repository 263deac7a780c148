// Combines what the provider's testers and the probes show about one proxy, target or tester, with their verdicts.

import type { ReadContext } from '../../collectors/context.ts';
import { ownSettingOf } from '../../collectors/faults/own-setting.ts';
import { readControls } from '../../collectors/probes/controls.ts';
import { readExits } from '../../collectors/probes/current-state.ts';
import { isLineDown } from '../../collectors/probes/evidence.ts';
import { causeOfCell } from '../../collectors/probes/faults/outcomes.ts';
import type { VantageOptions } from '../../collectors/probes/vantage.ts';
import {
  type FromHere,
  type ProxyDetails,
  readProxyDetails,
  readTargetDetails,
  readTesterDetails,
  type TargetDetails,
  type TesterDetails,
} from '../../collectors/proxy-tests/subject-details.ts';
import {
  isOfTestersAlone,
  overQuota,
  type Verdict,
  type VerdictWord,
} from '../../collectors/proxy-tests/verdicts.ts';
import { HOUR, minuteText } from '../../lib/time.ts';
import type { Fault } from '../../store/test-store.ts';
import { combineProxy, combineSubject, type MatrixContext, type Vantages } from './combined-lists.ts';

/** Reads the same from both; undefined from one that is off or does not know the subject. */
const readBoth = async <T>(
  { tests, probes }: Vantages,
  read: (context: MatrixContext) => Promise<T | undefined>,
): Promise<readonly [T | undefined, T | undefined]> => [
  tests && (await read(tests)),
  probes && (await read(probes)),
];

export const readCombinedProxy = async (
  vantages: Vantages,
  id: string,
): Promise<ProxyDetails | undefined> => {
  const [tested, found] = await readBoth(vantages, (context) => readProxyDetails(context, id));
  const probed = found && (await withVerdictHere(vantages, found));
  const here = probed && { fromHere: await fromHereOf(vantages, probed) };
  if (!tested || !probed) return tested ?? (probed && { ...probed, ...here });
  return {
    ...combineProxy(tested, probed),
    ...here,
    since: Math.min(tested.since, probed.since),
    verdict: combineVerdicts(tested, probed),
  };
};

const withVerdictHere = async ({ vantage }: Vantages, probed: ProxyDetails): Promise<ProxyDetails> =>
  vantage ? { ...probed, verdict: await verdictHere(vantage, probed) } : probed;

const fromHereOf = async ({ probes, vantage }: Vantages, probed: ProxyDetails): Promise<FromHere> => ({
  tester: probes?.options.tester_servers[0] ?? '',
  ...probed,
  failures: probes ? await probes.store.probes.failures(probes.account.name, probed.id) : [],
  exit: vantage && (await readExits(vantage)).find(({ proxy }) => proxy === probed.id),
});

export const readCombinedTarget = async (
  vantages: Vantages,
  id: string,
): Promise<TargetDetails | undefined> => {
  const [tested, probed] = await readBoth(vantages, (context) => readTargetDetails(context, id));
  if (!tested || !probed) return tested ?? probed;
  return { ...combineSubject(tested, probed), verdict: combineVerdicts(tested, probed) };
};

export const readCombinedTester = async (
  vantages: Vantages,
  id: string,
): Promise<TesterDetails | undefined> => {
  const [tested, probed] = await readBoth(vantages, (context) => readTesterDetails(context, id));
  return probed ? { ...probed, isVantage: true } : tested;
};

const FAILING_HERE: Verdict = {
  verdict: 'inconclusive',
  text: 'No control gets an answer and no proxy answers, so this machine or its network connection is at fault. The probes do not show whether the proxy works. Next: check the network connection of this machine.',
};

/** Verdicts that no fault decides. A fault of before stays while the line of this machine is at fault. */
const WITHOUT_FAULT: ReadonlySet<VerdictWord> = new Set(['ok', 'inconclusive', 'unattributed']);

const verdictHere = async (
  context: ReadContext<VantageOptions>,
  { verdict, tests }: Pick<ProxyDetails, 'verdict' | 'tests'>,
): Promise<Verdict> => {
  const quota = tests.filter((test) => causeOfCell(test) === 'quota').length;
  const share = `${quota} of ${tests.length} probes fail`;
  if (quota === tests.length && quota > 0 && !OF_PROXY.has(verdict.verdict)) return overQuota(share);
  if (!WITHOUT_FAULT.has(verdict.verdict)) return verdict;
  if (isLineDown(await readControls(context))) return FAILING_HERE;
  if (verdict.verdict !== 'unattributed') return verdict;
  const failing = tests.filter(({ isSuccessful }) => !isSuccessful);
  const here = failing.filter(({ errorSource }) => errorSource === 'here').length;
  if (here > 0) return failedHere(here, tests.length);
  return failing.length > 0 && quota === failing.length ? overQuota(share) : verdict;
};

/** Verdicts of a fault of the proxy itself, or of the way to it. */
const OF_PROXY: ReadonlySet<VerdictWord> = new Set(['proxy_at_fault', 'unusable_here']);

const failedHere = (failing: number, all: number): Verdict => ({
  verdict: 'inconclusive',
  text: `${failing} of ${all} probes failed while this machine, its network connection or the control of the target failed. They do not show whether the proxy works. Next: look again after the next round.`,
});

/** What matters most comes first. */
const ORDER: readonly VerdictWord[] = [
  ...([
    'proxy_at_fault',
    'unusable_here',
    'provider_at_fault',
    'target_at_fault',
    'tester_at_fault',
  ] as const),
  ...(['inconclusive', 'unattributed', 'ok', 'untested'] as const),
];

/** What belongs to the proxy's user comes before the faults of others. */
const OWN_RANK = ORDER.indexOf('unusable_here') + 0.5;

/** What one side shows about a subject. Targets have no time of their newest results. */
interface Side {
  readonly verdict: Verdict;
  /** When the newest results came (ms). */
  readonly lastTestedAt?: number | null;
}

const FROM_TESTERS = 'from the provider’s testers';
const FROM_HERE = 'from here';

/** Without a fault, a pass that is older than the newest results of the other side by this may be over. */
const RECENT_MS = HOUR;

/** `here` is what the probes show. The words of its verdict name the proxy, if the subject is one. */
export const combineVerdicts = (tests: Side, here: Side): Verdict => {
  if (here.verdict.verdict === 'untested') return tests.verdict;
  if (tests.verdict.verdict === 'untested') return here.verdict;
  if (tests.verdict.verdict === 'ok' && here.verdict.verdict === 'ok') return bothPass(tests, here);
  const isWorseHere = rankOf(here.verdict) < rankOf(tests.verdict);
  const [worse, other, where] = isWorseHere ? [here, tests, FROM_TESTERS] : [tests, here, FROM_HERE];
  const { verdict } = worse;
  if (other.verdict.verdict !== 'ok' || (/pass(es|ed) /.test(verdict.text) && verdict.text.includes(where)))
    return verdict;
  const isRecent = (other.lastTestedAt ?? Number.POSITIVE_INFINITY) >= failingSince(worse);
  if (isRecent && !isWorseHere && verdict.fault && isRefusedToTesters(verdict.fault))
    return { ...verdict, text: refusedToTesters(verdict.fault) };
  return { ...verdict, text: beforeNext(verdict.text, passText(other, where, isRecent)) };
};

const failingSince = ({ verdict: { fault }, lastTestedAt }: Side): number =>
  fault?.since ?? (lastTestedAt ?? 0) - RECENT_MS;

const bothPass = (tests: Side, here: Side): Verdict => {
  const [testedAt, probedAt] = [tests, here].map(({ lastTestedAt }) => lastTestedAt ?? null);
  const ageMs = testedAt && probedAt ? probedAt - testedAt : 0;
  if (Math.abs(ageMs) <= RECENT_MS)
    return { verdict: 'ok', text: `It passes ${FROM_HERE} and ${FROM_TESTERS}.` };
  const [fromHere, fromTesters] = [
    passText(here, FROM_HERE, ageMs > 0),
    passText(tests, FROM_TESTERS, ageMs < 0),
  ];
  return { verdict: 'ok', text: `${fromHere} ${fromTesters}` };
};

const passText = ({ lastTestedAt }: Side, where: string, isRecent: boolean): string =>
  isRecent || !lastTestedAt ? `It passes ${where}.` : `It passed ${where} at ${minuteText(lastTestedAt)}.`;

/** The proxy passes from here, so its user name and password are right, at least those that the probes use. */
const isRefusedToTesters = (fault: Fault): boolean =>
  fault.kind === 'access' && isOfTestersAlone(fault) && ownSettingOf(fault.code ?? null) !== null;

const refusedToTesters = ({ subject, since, reason }: Fault): string =>
  `The proxy ${subject} refuses the provider’s testers since ${minuteText(since)}: ${reason}. It passes ${FROM_HERE}. Next: compare the user name and the password in \`proxy_tests\` with those at the provider, and check whether the provider lets its testers use this proxy.`;

/** Adds a sentence before the one that says what to do next. */
const beforeNext = (text: string, sentence: string): string => {
  const [said = '', ...next] = text.split(/(?= Next: )/);
  return [said, ` ${sentence}`, ...next].join('');
};

const rankOf = ({ verdict, isOwn }: Verdict): number => (isOwn ? OWN_RANK : ORDER.indexOf(verdict));
