// Finds the fault that explains a failed test, so that the uptime of a proxy tells its own failures from those of others.

import { flatMapInSteps, type Steps } from '../../lib/steps.ts';
import type { ProxyTestResult } from '../../store/test-history-store.ts';
import type { ChangedCause, Fault, FaultKind } from '../../store/test-store.ts';
import { type FaultCell, hasFailed } from './proxy-round.ts';

export interface FailedTest extends Pick<ProxyTestResult, 'proxy' | 'url' | 'tester'> {
  readonly productType: string;
  readonly isProxyDead: boolean;
  /** `here` is a failed probe that shows nothing but a fault of this machine, which is a tester. */
  readonly errorSource?: string | null;
}

/** Returns the kind of the fault that explains a failure; null if none does. */
export type CauseLookup = (failure: FailedTest) => FaultKind | null;

export const deadProxies = (
  tests: readonly { readonly proxy: string; readonly hasFailed: boolean }[],
): ReadonlySet<string> => {
  const passing = new Set(tests.filter((test) => !test.hasFailed).map(({ proxy }) => proxy));
  return new Set(tests.map(({ proxy }) => proxy).filter((proxy) => !passing.has(proxy)));
};

/**
 * The order is that of the attribution: a fault of a tester or target explains failures before a fault of the proxy does,
 * and an outage of the provider explains what no other fault does. But a proxy that is at fault and passes no test would
 * also fail if testers and targets worked, so all its failures are its own.
 */
export const causeLookup = (faults: readonly Pick<Fault, 'kind' | 'subject' | 'scope'>[]): CauseLookup => {
  const byKind = Map.groupBy(faults, ({ kind }) => kind);
  const faultsOf = (kind: FaultKind) =>
    new Map((byKind.get(kind) ?? []).map((fault) => [fault.subject, fault]));
  const [proxies, targets, testers] = [faultsOf('proxy'), faultsOf('target'), faultsOf('tester')];
  const unusableHere = faultsOf('access');
  const faultAt = (proxy: string): FaultKind | null =>
    proxies.has(proxy) ? 'proxy' : unusableHere.has(proxy) ? 'access' : null;
  const isProviderFaulty = byKind.has('provider');
  const isTargetBlocked = ({ url, proxy, productType }: FailedTest): boolean => {
    const fault = targets.get(url);
    if (!fault?.scope) return fault !== undefined;
    const { productTypes, isNamed } = fault.scope;
    return productTypes.includes(productType) || (isNamed && !proxies.has(proxy));
  };
  return (failure) => {
    if (failure.errorSource === 'here') return 'tester';
    const own = faultAt(failure.proxy);
    if (failure.isProxyDead && own) return own;
    if (testers.has(failure.tester)) return 'tester';
    if (isTargetBlocked(failure)) return 'target';
    return own ?? (isProviderFaulty ? 'provider' : null);
  };
};

/** Returns the failures stored since then (ms) that another fault explains after the round than before it. */
export function* changedCauses(
  cells: readonly FaultCell[],
  since: number,
  causeBefore: CauseLookup,
  causeAfter: CauseLookup,
): Steps<ChangedCause[]> {
  const round = cells.filter(({ at }) => at >= since);
  const dead = deadProxies(round.map((cell) => ({ proxy: cell.proxy, hasFailed: hasFailed(cell, 0) })));
  yield;
  return yield* flatMapInSteps(round, (cell) => {
    if (!hasFailed(cell, 0)) return [];
    const { proxy, url, tester, at } = cell;
    const failure = { ...cell, isProxyDead: dead.has(proxy) };
    const [before, after] = [causeBefore(failure), causeAfter(failure)];
    return before === after ? [] : [{ proxy, url, tester, at, before, after }];
  });
}
