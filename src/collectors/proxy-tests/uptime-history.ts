// Reads the uptime history of proxies, testers and targets, by hour and by day.

import { setImmediate } from 'node:timers/promises';
import { DAY, HOUR } from '../../lib/time.ts';
import { TESTED_PROXIES } from '../../store/source-proxy-store.ts';
import type { TestSubject, Uptime } from '../../store/test-history-store.ts';
import type { ReadContext } from '../context.ts';
import { readTestedProxies } from '../proxy-sources/tested-proxies.ts';
import { withResults } from './listed-proxies.ts';
import { type LazyItem, listTargets, listTesters } from './summaries.ts';
import { type MatrixOptions, urlsOf } from './targets.ts';

export const UPTIME_KINDS = ['proxy', 'tester', 'target'] as const;
export type UptimeKind = (typeof UPTIME_KINDS)[number];

export interface UptimeHistory {
  readonly kind: UptimeKind;
  readonly id: string;
  /** The last 24 hours and 30 days (UTC), each with its start (ms). The current hour and day are not over yet. */
  readonly hours: readonly HistoryPoint[];
  readonly days: readonly HistoryPoint[];
}

type Context = ReadContext<MatrixOptions>;

const HOURS = 24;
const DAYS = 30;

export const listUptimeHistories = async (
  context: Context,
  kind: UptimeKind,
): Promise<LazyItem<UptimeHistory>[]> =>
  (await LIST_IDS[kind](context)).map((id) => ({
    id,
    read: async () => ({
      ...{ kind, id },
      hours: await readLast(context, kind, id, 'hour', HOURS),
      days: await readLast(context, kind, id, 'day', DAYS),
    }),
  }));

const SUBJECT_OF: Readonly<Record<UptimeKind, (id: string) => TestSubject>> = {
  proxy: (proxy) => ({ proxy }),
  tester: (tester) => ({ tester }),
  target: (url) => ({ url }),
};

const LIST_IDS: Readonly<Record<UptimeKind, (context: Context) => Promise<string[]>>> = {
  proxy: async (context) => (await readTestedProxies(context)).map(({ id }) => id),
  tester: async (context) => (await listTesters(context)).map(({ id }) => id),
  target: async (context) => (await listTargets(context)).map(({ id }) => id),
};

/** The last 24 hours (UTC), the present one among them. */
export interface ProxyHours {
  /** The start of the first hour (ms). */
  readonly from: number;
  readonly hours: ReadonlyMap<string, readonly Uptime[]>;
}

/**
 * Reads the hours of several proxies in one query for each context, of which the earlier ones take precedence: what the
 * provider's testers found, and what the probes found of proxies that they do not test.
 */
export const readProxyHours = async (
  contexts: readonly Pick<Context, 'account' | 'clock' | 'store'>[],
  ids: readonly string[],
  now: number,
): Promise<ProxyHours> => {
  const to = (Math.floor(now / HOUR) + 1) * HOUR;
  const from = to - HOURS * HOUR;
  const hours = new Map<string, readonly Uptime[]>();
  let rest = ids;
  for (const context of contexts) {
    const { account, store } = context;
    for (const [id, sums] of await store.tests.proxyHours(account.name, rest, from, to)) hours.set(id, sums);
    const tested = await withResults(context, rest);
    rest = rest.filter((id) => !tested.has(id));
  }
  return { from, hours };
};

const readLast = (context: Context, kind: UptimeKind, id: string, step: HistoryStep, steps: number) => {
  const stepMs = HISTORY_STEPS[step];
  const to = (Math.floor(context.clock.now() / stepMs) + 1) * stepMs;
  return readPoints(context, kind, id, { step, from: to - steps * stepMs, to });
};

export const HISTORY_STEPS = { hour: HOUR, day: DAY } as const;
export type HistoryStep = keyof typeof HISTORY_STEPS;
/** How long the store has sums of each step. */
export const HISTORY_SPANS = { hour: 31 * DAY, day: 90 * DAY } as const;

export interface HistoryRange {
  readonly step: HistoryStep;
  /** On boundaries of the step, in UTC (ms). */
  readonly from: number;
  readonly to: number;
}

export type HistoryPoint = Uptime & { readonly at: number };

/** How many points are read at a time: some milliseconds of CPU. */
const POINTS_AT_ONCE = 100;

/** Reads what a subject had in each step. */
export const readPoints = async (
  { account, store }: Pick<Context, 'account' | 'store'>,
  kind: UptimeKind,
  id: string,
  { step, from, to }: HistoryRange,
): Promise<HistoryPoint[]> => {
  const stepMs = HISTORY_STEPS[step];
  const points: HistoryPoint[] = [];
  for (let start = from; start < to; start += POINTS_AT_ONCE * stepMs) {
    const end = Math.min(to, start + POINTS_AT_ONCE * stepMs);
    const sums = await store.tests.uptimeHistory(account.name, SUBJECT_OF[kind](id), start, end, stepMs);
    points.push(...sums.map((sum, index) => ({ ...sum, at: start + index * stepMs })));
    await setImmediate();
  }
  return points;
};

/** Returns undefined if the subject is not tested. */
export const readHistory = async (
  context: Context,
  kind: UptimeKind,
  id: string,
  range: HistoryRange,
): Promise<HistoryPoint[] | undefined> =>
  (await isTested(context, kind, id)) ? readPoints(context, kind, id, range) : undefined;

const isTested = async (context: Context, kind: UptimeKind, id: string): Promise<boolean> => {
  const { account, options, store } = context;
  if (kind === 'proxy')
    return (await store.sourceProxies.find(account.name, TESTED_PROXIES, id)) !== undefined;
  if (kind === 'target') return urlsOf(options).some(({ label }) => label === id);
  return (await listTesters(context)).some((tester) => tester.id === id);
};
