// Whether the account's sources agree on each day, to be seen before an invoice shows that they do not.

import { z } from 'zod';
import { cronExpression } from '../../config/primitives.ts';
import { gauge, type SampleSink } from '../../lib/family.ts';
import { DAY, HOUR, SECOND } from '../../lib/time.ts';
import { PAIRS } from '../../store/reconciliation-store.ts';
import type { Store } from '../../store/store.ts';
import type { Collector, Outcome } from '../collector.ts';
import type { AccountSettings, ReadContext, RunContext } from '../context.ts';
import { slotsPerDay } from '../cost.ts';
import { compareDays, comparedPairs } from './compare.ts';
import { daysWithin } from './days.ts';
import { comparedBytes, differs } from './explain.ts';

export const reconciliationOptions = z.strictObject({
  schedule: cronExpression().default('50 5 * * *').describe('After the deep reread of traffic'),
});
type ReconciliationOptions = z.infer<typeof reconciliationOptions>;

const PAIR = ['pair'] as const;
const NEWEST = 'of the newest day that both sides have whole, compared once a day.';

const difference = gauge(
  'proxywatch_reconcile_difference_bytes',
  `Bytes by the first source of the pair minus those by the second, ${NEWEST}`,
  PAIR,
);
const unexplained = gauge(
  'proxywatch_reconcile_unexplained_bytes',
  `Part of the difference in bytes that nothing explains, ${NEWEST}`,
  PAIR,
);
const compared = gauge(
  'proxywatch_reconcile_compared_bytes',
  `Bytes by the larger of the two sources, ${NEWEST}`,
  PAIR,
);
const lastTimestamp = gauge(
  'proxywatch_reconcile_last_timestamp_seconds',
  `Start in seconds since the epoch ${NEWEST}`,
  PAIR,
);

export const reconciliation: Collector<ReconciliationOptions> = {
  name: 'reconciliation',
  endpoints: ['analytics/graph'],
  families: [difference, unexplained, compared, lastTimestamp],
  compares: ['traffic', 'residential_ledger', 'proxy_users'],
  options: reconciliationOptions,
  cost: ({ schedule }, zone, now) => ({
    requestsPerDay: 2 * slotsPerDay(schedule, zone, now),
    series: 4 * PAIRS.length,
    assumptions: ['sources that agree; a day on which they differ costs a request more'],
    warnings: [],
  }),
  collect,
  hasData,
  expose,
};

/** Days are compared only when both sides have them whole. */
async function hasData(account: AccountSettings, store: Store): Promise<boolean> {
  const polled = comparedPairs(account);
  return (await store.reconciliation.newest(account.name)).some(({ pair }) => polled.includes(pair));
}

/** However short the deep reread: yesterday is over by less than two days, also where a day has 25 hours. */
const AT_LEAST_MS = 2 * DAY + HOUR;

/** Days are compared again as long as the deep reread may still change them. */
async function collect(context: RunContext<ReconciliationOptions>): Promise<Outcome> {
  const { account, clock, log, store } = context;
  const now = clock.now();
  if (!account.traffic) return { skipped: 0, failedParts: [] };
  const reachMs = Math.max(account.traffic.deep_reread.span, AT_LEAST_MS);
  const days = daysWithin(account.time_zone, now - reachMs, now);
  const found = await compareDays(context, days);
  await store.reconciliation.save(account.name, found, now);
  for (const { pair, date, firstBytes, secondBytes, unexplainedBytes } of found.filter(differs)) {
    log.warn({ pair, date, firstBytes, secondBytes, unexplainedBytes }, 'sources differ');
  }
  return { skipped: 0, failedParts: [] };
}

async function expose(
  { account, store }: ReadContext<ReconciliationOptions>,
  sink: SampleSink,
): Promise<void> {
  const polled = comparedPairs(account);
  for (const day of await store.reconciliation.newest(account.name)) {
    const { pair } = day;
    // What was found of sources that are off would stand for ever.
    if (!polled.includes(pair)) continue;
    sink.sample(difference, { pair }, day.firstBytes - day.secondBytes);
    sink.sample(unexplained, { pair }, day.unexplainedBytes);
    sink.sample(compared, { pair }, comparedBytes(day));
    sink.sample(lastTimestamp, { pair }, day.dayStart / SECOND);
  }
}
