// Combines what the provider's testers and the probes show about one proxy, target or tester.

import type { ReadContext } from '../../collectors/context.ts';
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
import { overQuota, type Verdict, type VerdictWord } from '../../collectors/proxy-tests/verdicts.ts';
import { combineProxy, combineSubject, type MatrixContext, type Vantages } from './combined-lists.ts';
import { combineVerdicts } from './combined-verdict.ts';

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

export const verdictHere = async (
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
