// Reads the history of one proxy, target or tester: its results by hour or by day.

import { setImmediate } from 'node:timers/promises';
import { DAY, HOUR } from '../../lib/time.ts';
import { TESTED_PROXIES } from '../../store/source-proxy-store.ts';
import type { Uptime } from '../../store/test-history-store.ts';
import type { ReadContext } from '../context.ts';
import { listTesters } from './summaries.ts';
import { type MatrixOptions, urlsOf } from './targets.ts';
import { SUBJECT_OF, type UptimeKind } from './uptime-history.ts';

type Context = ReadContext<MatrixOptions>;

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

/** Returns undefined if the subject is not tested. */
export const readHistory = async (
  context: Context,
  kind: UptimeKind,
  id: string,
  { step, from, to }: HistoryRange,
): Promise<HistoryPoint[] | undefined> => {
  if (!(await isTested(context, kind, id))) return undefined;
  const stepMs = HISTORY_STEPS[step];
  const { account, store } = context;
  const points: HistoryPoint[] = [];
  for (let start = from; start < to; start += POINTS_AT_ONCE * stepMs) {
    const end = Math.min(to, start + POINTS_AT_ONCE * stepMs);
    const sums = await store.tests.uptimeHistory(account.name, SUBJECT_OF[kind](id), start, end, stepMs);
    points.push(...sums.map((sum, index) => ({ ...sum, at: start + index * stepMs })));
    await setImmediate();
  }
  return points;
};

const isTested = async (context: Context, kind: UptimeKind, id: string): Promise<boolean> => {
  const { account, options, store } = context;
  if (kind === 'proxy')
    return (await store.sourceProxies.find(account.name, TESTED_PROXIES, id)) !== undefined;
  if (kind === 'target') return urlsOf(options).some(({ label }) => label === id);
  return (await listTesters(context)).some((tester) => tester.id === id);
};
