// Reads the uptime history of proxies, testers and targets, by hour and by day.

import { DAY, HOUR } from '../../lib/time.ts';
import type { TestSubject, Uptime } from '../../store/test-history-store.ts';
import type { ReadContext } from '../context.ts';
import { readTestedProxies } from '../proxy-sources/tested-proxies.ts';
import { type LazyItem, listTargets, listTesters } from './summaries.ts';
import type { MatrixOptions } from './targets.ts';

export const UPTIME_KINDS = ['proxy', 'tester', 'target'] as const;
export type UptimeKind = (typeof UPTIME_KINDS)[number];

export interface UptimeHistory {
  readonly kind: UptimeKind;
  readonly id: string;
  /** The last 24 hours and 30 days (UTC), each with its start (ms). The current hour and day are not over yet. */
  readonly hours: readonly UptimeStep[];
  readonly days: readonly UptimeStep[];
}

type UptimeStep = Uptime & { readonly at: number };
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
      hours: await readSteps(context, SUBJECT_OF[kind](id), HOUR, HOURS),
      days: await readSteps(context, SUBJECT_OF[kind](id), DAY, DAYS),
    }),
  }));

export const SUBJECT_OF: Readonly<Record<UptimeKind, (id: string) => TestSubject>> = {
  proxy: (proxy) => ({ proxy }),
  tester: (tester) => ({ tester }),
  target: (url) => ({ url }),
};

const LIST_IDS: Readonly<Record<UptimeKind, (context: Context) => Promise<string[]>>> = {
  proxy: async (context) => (await readTestedProxies(context)).map(({ id }) => id),
  tester: async (context) => (await listTesters(context)).map(({ id }) => id),
  target: async (context) => (await listTargets(context)).map(({ id }) => id),
};

const readSteps = async (
  { account, store, clock }: Context,
  subject: TestSubject,
  stepMs: number,
  steps: number,
): Promise<UptimeStep[]> => {
  const end = (Math.floor(clock.now() / stepMs) + 1) * stepMs;
  const start = end - steps * stepMs;
  const sums = await store.tests.uptimeHistory(account.name, subject, start, end, stepMs);
  return sums.map((sum, index) => ({ ...sum, at: start + index * stepMs }));
};
