// Combines what the provider's testers and the probes show about one proxy, target or tester.

import { readExits } from '../../collectors/probes/current-state.ts';
import {
  type FromHere,
  type ProxyDetails,
  readProxyDetails,
  readTargetDetails,
  readTesterDetails,
  type TargetDetails,
  type TesterDetails,
} from '../../collectors/proxy-tests/subject-details.ts';
import { combineProxy, combineSubject } from './combined-lists.ts';
import { combineVerdicts } from './combined-verdict.ts';
import type { MatrixContext, Vantages } from './contexts.ts';
import { verdictHere } from './verdict-here.ts';

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
