// Strips of uptime: how a proxy, tester or target did, hour by hour and day by day.

import { DAY, HOUR } from '../../lib/time.ts';
import type { TestSubject, Uptime } from '../../store/test-store.ts';
import type { ReadContext } from '../context.ts';
import type { ProxyTestOptions } from './options.ts';
import { type Listed, listTargets, listTesters } from './reading.ts';
import { testedProxies } from './sources/tested-proxies.ts';

export const STRIP_KINDS = ['proxy', 'tester', 'target'] as const;
export type StripKind = (typeof STRIP_KINDS)[number];

export interface StripReading {
  readonly kind: StripKind;
  readonly id: string;
  /** The last 24 hours and 30 days (UTC), each with its start (ms); the present ones are not over. */
  readonly hours: readonly Step[];
  readonly days: readonly Step[];
}

type Step = Uptime & { readonly at: number };
type Context = ReadContext<ProxyTestOptions>;

const HOURS = 24;
const DAYS = 30;

export const listStrips = async (context: Context, kind: StripKind): Promise<Listed<StripReading>[]> =>
  (await idsOf[kind](context)).map((id) => ({
    id,
    read: async () => ({
      ...{ kind, id },
      hours: await stepsOf(context, SUBJECT[kind](id), HOUR, HOURS),
      days: await stepsOf(context, SUBJECT[kind](id), DAY, DAYS),
    }),
  }));

const SUBJECT: Readonly<Record<StripKind, (id: string) => TestSubject>> = {
  proxy: (proxy) => ({ proxy }),
  tester: (tester) => ({ tester }),
  target: (url) => ({ url }),
};

const idsOf: Readonly<Record<StripKind, (context: Context) => Promise<string[]>>> = {
  proxy: async (context) => (await testedProxies(context)).map(({ id }) => id),
  tester: async (context) => (await listTesters(context)).map(({ id }) => id),
  target: async (context) => (await listTargets(context)).map(({ id }) => id),
};

const stepsOf = async (
  { account, store, clock }: Context,
  subject: TestSubject,
  stepMs: number,
  steps: number,
): Promise<Step[]> => {
  const end = (Math.floor(clock.now() / stepMs) + 1) * stepMs;
  const start = end - steps * stepMs;
  const sums = await store.tests.uptimes(account.name, subject, start, end, stepMs);
  return sums.map((sum, index) => ({ ...sum, at: start + index * stepMs }));
};
