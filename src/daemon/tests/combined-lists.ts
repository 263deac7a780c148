// Combines the lists of proxies, testers, targets and faults of the provider's testers with those of the probes.
//
// Uptime and times of a subject that the provider's testers test stay theirs. Probes are much more frequent, so that they
// would hide that the testers fail, or that they have had no results for days.

import type { ReadContext } from '../../collectors/context.ts';
import { asMatrix, type VantageOptions, vantageContext } from '../../collectors/probes/vantage.ts';
import { addFailingTests } from '../../collectors/proxy-tests/failing-tests.ts';
import type { ListedProxy } from '../../collectors/proxy-tests/listed-proxies.ts';
import type { LazyItem, ProxySummary, SubjectSummary } from '../../collectors/proxy-tests/summaries.ts';
import type { MatrixOptions } from '../../collectors/proxy-tests/targets.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Fault } from '../../store/test-store.ts';
import type { App } from '../app.ts';

export type MatrixContext = ReadContext<MatrixOptions>;

export interface Vantages {
  /** Undefined if the account has no proxy tests. */
  readonly tests: MatrixContext | undefined;
  /** Undefined if the account has no probes. */
  readonly probes: MatrixContext | undefined;
  /** The same, with the settings of the probes. */
  readonly vantage: ReadContext<VantageOptions> | undefined;
}

export const vantagesOf = (app: App, clock: Clock, name: string): Vantages => {
  const running = app.accounts.find((each) => each.name === name);
  if (!running) return { tests: undefined, probes: undefined, vantage: undefined };
  const { context: account, settings } = running;
  const { proxy_tests: tests, probes } = settings;
  const common = { account, store: app.store, clock };
  const vantage = probes ? vantageContext({ ...common, options: probes }) : undefined;
  return {
    tests: tests ? { ...common, options: tests } : undefined,
    probes: vantage && asMatrix(vantage),
    vantage,
  };
};

type Identified = { readonly id: string };

/** Pairs the items of both lists by their ids, in the order of the first list. */
const combine = <T extends Identified>(
  tests: readonly T[],
  probes: readonly T[],
  join: (tested: T, probed: T) => T,
): T[] => {
  const probed = new Map(probes.map((each) => [each.id, each]));
  const known = new Set(tests.map(({ id }) => id));
  return [
    ...tests.map((each) => {
      const other = probed.get(each.id);
      return other ? join(each, other) : each;
    }),
    ...probes.filter(({ id }) => !known.has(id)),
  ];
};

/** The start of the earlier fault; null if neither has one. */
export const earlier = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other);

export const combineProxies = (
  tests: readonly ListedProxy[],
  probes: readonly ListedProxy[],
): ListedProxy[] =>
  combine(tests, probes, (tested, probed) => ({
    ...tested,
    hasResults: tested.hasResults || probed.hasResults,
    faultSince: earlier(tested.faultSince, probed.faultSince),
    accessFaultSince: earlier(tested.accessFaultSince, probed.accessFaultSince),
    failingRounds: Math.max(tested.failingRounds, probed.failingRounds),
    failing: addFailingTests(tested.failing, probed.failing),
    lastTestedAt: tested.lastTestedAt ?? probed.lastTestedAt,
    readUptime: tested.hasResults ? tested.readUptime : probed.readUptime,
    read: async () => combineProxy(await tested.read(), await probed.read()),
  }));

/** The results of both, with the times and the uptime of the provider's testers unless they have no results. */
export const combineProxy = <T extends ProxySummary>(tested: T, probed: ProxySummary): T => ({
  ...tested,
  ...(tested.lastTestedAt === null && { lastTestedAt: probed.lastTestedAt, uptime: probed.uptime }),
  faultSince: earlier(tested.faultSince, probed.faultSince),
  accessFaultSince: earlier(tested.accessFaultSince, probed.accessFaultSince),
  failingRounds: Math.max(tested.failingRounds, probed.failingRounds),
  tests: [...tested.tests, ...probed.tests],
  failing: addFailingTests(tested.failing, probed.failing),
});

export const combineTargets = (
  tests: readonly LazyItem<SubjectSummary>[],
  probes: readonly LazyItem<SubjectSummary>[],
): LazyItem<SubjectSummary>[] =>
  combine(tests, probes, ({ id, read }, probed) => ({
    id,
    read: async () => combineSubject(await read(), await probed.read()),
  }));

export const combineSubject = <T extends SubjectSummary>(tested: T, probed: SubjectSummary): T => ({
  ...tested,
  faultSince: earlier(tested.faultSince, probed.faultSince),
  uptime: tested.uptime['90d'].results > 0 ? tested.uptime : probed.uptime,
});

/** Items of both lists that need not be combined: the first list has them already, or the vantage is a tester of its own. */
export const withoutKnown = <T extends Identified>(tests: readonly T[], probes: readonly T[]): T[] =>
  combine(tests, probes, (tested) => tested);

/** A fault that both found is one fault, with the reason of the provider's testers. */
export const combineFaults = (tests: readonly Fault[], probes: readonly Fault[]): Fault[] =>
  combine(tests.map(withKey), probes.map(withKey), (tested, probed) => ({
    ...tested,
    since: Math.min(tested.since, probed.since),
  })).map(({ id: _, ...fault }) => fault);

const withKey = (fault: Fault): Fault & Identified => ({ ...fault, id: `${fault.kind} ${fault.subject}` });
