// Reads what the page of one proxy, target or tester shows: its summary and its verdict.

import { DAY } from '../../lib/time.ts';
import type { ProbeExit, ProbeFailureDetails } from '../../store/probe-store.ts';
import type { StoredSourceProxy } from '../../store/source-proxy-store.ts';
import type { ReadContext } from '../context.ts';
import { readTestedProxies } from '../proxy-sources/tested-proxies.ts';
import { readCurrentFaults, readCurrentInconclusive } from './current-findings.ts';
import {
  endOfHour,
  findProxy,
  listTargets,
  listTesters,
  type ProxySummary,
  type SubjectSummary,
  type TesterSummary,
} from './summaries.ts';
import type { MatrixOptions } from './targets.ts';
import { type Findings, type Verdict, verdictOfProxy, verdictOfSubject } from './verdicts.ts';

type Context = ReadContext<MatrixOptions>;

export type ProxyDetails = ProxySummary &
  StoredSourceProxy & {
    readonly verdict: Verdict;
    /** Undefined if the proxy is not probed from here. */
    readonly fromHere?: FromHere | undefined;
  };

/** What the probes from here show about a proxy. */
export interface FromHere extends Pick<ProxySummary, 'uptime' | 'lastTestedAt' | 'failingRounds' | 'tests'> {
  /** The label of the vantage. */
  readonly tester: string;
  readonly verdict: Verdict;
  /** The last failure at each url, which can be over. */
  readonly failures: readonly ProbeFailureDetails[];
  /** The last check of the exit; undefined if it was not checked. */
  readonly exit: ProbeExit | undefined;
}

export type TargetDetails = SubjectSummary & { readonly verdict: Verdict };
export type TesterDetails = TesterSummary & { readonly verdict: Verdict };

/** Returns undefined if the proxy is not tested. */
export const readProxyDetails = async (context: Context, id: string): Promise<ProxyDetails | undefined> => {
  const found = await findProxy(context, id);
  if (!found) return undefined;
  // The same 24 hours as in the uptime.
  const daySince = endOfHour(context.clock.now()) - DAY;
  const limits = { daySince, faultAfter: context.options.fault_after };
  return { ...found, verdict: verdictOfProxy(found, await readFindings(context, [found]), limits) };
};

/** Returns undefined if no such target is configured. */
export const readTargetDetails = async (context: Context, id: string): Promise<TargetDetails | undefined> => {
  const found = await (await listTargets(context)).find((each) => each.id === id)?.read();
  return found && { ...found, verdict: verdictOfSubject('target', found, await readAllFindings(context)) };
};

/** Returns undefined if the tester has no results and is not configured. */
export const readTesterDetails = async (context: Context, id: string): Promise<TesterDetails | undefined> => {
  const found = await (await listTesters(context)).find((each) => each.id === id)?.read();
  return found && { ...found, verdict: verdictOfSubject('tester', found, await readAllFindings(context)) };
};

const readAllFindings = async (context: Context): Promise<Findings> =>
  readFindings(context, await readTestedProxies(context));

const readFindings = async (
  context: Context,
  proxies: Parameters<typeof readCurrentFaults>[1],
): Promise<Findings> => ({
  faults: await readCurrentFaults(context, proxies),
  inconclusive: await readCurrentInconclusive(context),
});
