// Reduces an account to what a public page may show: whether its proxies work. What is not known stays unknown.

import { freshnessJson } from '../../http/api/freshness.ts';
import type { DaemonView } from '../../http/daemon-view.ts';
import { DAY } from '../../lib/time.ts';

export interface AccountState {
  readonly name: string;
  readonly proxies: ProxyCounts;
  /** Shares of the tests that succeeded; null without a test. */
  readonly uptime: { readonly day: number | null; readonly month: number | null };
  /** The same for each day in UTC since the first test, at most 30, the oldest first. */
  readonly days: readonly (number | null)[];
}

export interface ProxyCounts {
  readonly up: number;
  readonly down: number;
  readonly unknown: number;
}

export const STATES = ['operational', 'degraded', 'outage', 'unknown'] as const;
export type State = (typeof STATES)[number];

/** An account that another shard runs is unknown here. `now` is in ms. */
export const readAccountState = async (
  view: DaemonView,
  name: string,
  now: number,
): Promise<AccountState> => {
  const histories = await readTesterHistories(view, name);
  const days = sumBySteps(histories.map((history) => history.days));
  const first = days.findIndex(({ results }) => results > 0);
  return {
    name,
    proxies: await countProxies(view, name, now),
    uptime: {
      day: ratioOf(sum(histories.flatMap(({ hours }) => hours))),
      month: ratioOf(sum(days)),
    },
    days: first < 0 ? [] : days.slice(first).map(ratioOf),
  };
};

/** Every result has one tester, so the sums over testers have each result once. */
const readTesterHistories = async (view: DaemonView, name: string) =>
  Promise.all((await view.tests.uptimeHistories(name, 'tester')).map((history) => history.read()));

interface Results {
  readonly results: number;
  readonly successes: number;
}

const sum = (all: readonly Results[]): Results => ({
  results: all.reduce((total, { results }) => total + results, 0),
  successes: all.reduce((total, { successes }) => total + successes, 0),
});

const sumBySteps = (histories: readonly (readonly Results[])[]): Results[] =>
  (histories[0] ?? []).map((_, step) => sum(histories.flatMap((history) => history[step] ?? [])));

const ratioOf = ({ results, successes }: Results): number | null =>
  results === 0 ? null : successes / results;

type ListedProxy = Awaited<ReturnType<DaemonView['tests']['proxies']>>[number];

const countProxies = async (view: DaemonView, name: string, now: number): Promise<ProxyCounts> => {
  const freshness = await freshnessJson(view, [name], 'proxy_tests');
  const isFresh = freshness.some(({ state }) => state === 'current');
  const counts = { up: 0, down: 0, unknown: 0 };
  for (const proxy of await view.tests.proxies(name)) counts[isFresh ? stateOf(proxy, now) : 'unknown'] += 1;
  return counts;
};

/** A proxy that only this machine cannot use says nothing about the proxy. */
const stateOf = (
  { faultSince, accessFaultSince, failing, lastTestedAt }: ListedProxy,
  now: number,
): keyof ProxyCounts => {
  if (lastTestedAt === null || now - lastTestedAt > DAY) return 'unknown';
  if (faultSince !== null || failing.explainedBy.some(({ kind }) => kind === 'provider')) return 'down';
  return accessFaultSince === null ? 'up' : 'unknown';
};

/** Returns the share of the proxies that work, of those whose state is known; null if none is known. */
export const shareUp = (counts: readonly ProxyCounts[]): number | null => {
  const [up, down] = [total(counts, 'up'), total(counts, 'down')];
  return up + down === 0 ? null : up / (up + down);
};

export const stateOfShare = (share: number | null): State => {
  if (share === null) return 'unknown';
  if (share === 1) return 'operational';
  return share === 0 ? 'outage' : 'degraded';
};

/** Whether nothing is known about some of the proxies, or about all of one account. */
export const isPartlyUnknown = (counts: readonly ProxyCounts[]): boolean =>
  total(counts, 'unknown') > 0 || counts.some((each) => shareUp([each]) === null);

const total = (counts: readonly ProxyCounts[], kind: keyof ProxyCounts): number =>
  counts.reduce((number, each) => number + each[kind], 0);
