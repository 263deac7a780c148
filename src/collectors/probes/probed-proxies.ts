// Lists the proxies of a round, the longest untested first, with what a probe needs to connect to them.

import { setImmediate } from 'node:timers/promises';
import { flatMapInSteps, runInTurns } from '../../lib/steps.ts';
import type { ProbeProxy } from '../../prober/probe.ts';
import type { ReadContext } from '../context.ts';
import { shuffledByTime, sortByLastTest } from '../day-budget.ts';
import type { FoundProxy } from '../proxy-sources/proxy-entry.ts';
import { parseProbeLine } from '../proxy-sources/proxy-line.ts';
import { foundProxyLookup, readTestedProxies, type TestedProxy } from '../proxy-sources/tested-proxies.ts';
import { isMetered } from './budget/byte-prices.ts';
import { readCaFile } from './targets.ts';
import type { VantageOptions } from './vantage.ts';

export interface ProbedProxy extends TestedProxy {
  readonly access: ProbeProxy;
  readonly isMetered: boolean;
  readonly lastTestedAt: number | null;
}

/** Leaves out proxies whose password only an earlier process has found. */
export const readProbedProxies = async (
  context: ReadContext<VantageOptions>,
  found: readonly FoundProxy[],
): Promise<ProbedProxy[]> => {
  const { account, options, store } = context;
  const turns = new Map(
    (await store.tests.proxies(account.name)).map((turn) => [turn.proxy, turn.lastTestedAt]),
  );
  await setImmediate();
  const find = foundProxyLookup(options, found);
  await setImmediate();
  const proxies = await runInTurns(
    flatMapInSteps(await readTestedProxies(context), (proxy) => {
      const access = accessOf(find(proxy));
      if (!access) return [];
      const lastTestedAt = turns.get(proxy.id) ?? null;
      return [{ ...proxy, access, lastTestedAt, isMetered: isMetered(proxy.productType) }];
    }),
  );
  return sortByLastTest(proxies, shuffledByTime);
};

/** Returns undefined if the proxy's password is not known. */
export const accessOf = (found: FoundProxy | undefined): ProbeProxy | undefined => {
  if (!found) return undefined;
  const access = parseProbeLine(found.line.reveal());
  return 'error' in access ? undefined : { ...access, ca: readCaFile(found.caFile) };
};
