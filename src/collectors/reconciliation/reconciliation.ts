// Checks each day whether the account's sources agree, so that a difference is found before it appears on an invoice.

import { z } from 'zod';
import { cronExpression } from '../../config/primitives.ts';
import type { SampleSink } from '../../lib/family.ts';
import { DAY, HOUR, SECOND } from '../../lib/time.ts';
import { SOURCE_PAIRS } from '../../store/reconciliation-store.ts';
import type { Store } from '../../store/store.ts';
import { type Collector, type Outcome, slotsPerDay } from '../collector.ts';
import type { AccountSettings, ReadContext, RunContext } from '../context.ts';
import { gauges, sampleAll } from '../families.ts';
import { compareDays, comparedPairs } from './compare.ts';
import { daysWithin } from './days.ts';
import { comparedBytes, differs } from './explain.ts';

export const reconciliationOptions = z.strictObject({
  schedule: cronExpression()
    .default('50 5 * * *')
    .describe('Schedule for comparing days. Choose a time after the deep reread of traffic'),
});
type ReconciliationOptions = z.infer<typeof reconciliationOptions>;

const PAIR = ['pair'] as const;
const NEWEST =
  'on the newest day for which both sources have complete data. proxywatch compares the sources once a day.';

const families = {
  ...gauges(PAIR, {
    proxywatch_reconcile_difference_bytes: `Number of bytes of the first source of the pair minus the number of bytes of the second source, ${NEWEST}`,
    proxywatch_reconcile_unexplained_bytes: `Part of the difference in bytes that no known reason explains, ${NEWEST}`,
    proxywatch_reconcile_compared_bytes: `Number of bytes of the larger source of the pair, ${NEWEST}`,
    proxywatch_reconcile_last_timestamp_seconds:
      'Start of the newest day for which both sources of the pair have complete data, in seconds since the epoch. proxywatch compares the sources once a day.',
  }),
} as const;

export const reconciliation: Collector<ReconciliationOptions> = {
  name: 'reconciliation',
  description: 'Daily comparison of the sources of the account’s traffic',
  isOnByDefault: true,
  endpoints: ['analytics/graph'],
  families: Object.values(families),
  usesSettingsOf: ['traffic', 'residential_ledger', 'mobile_ledger', 'proxy_users', 'usage', 'customer'],
  options: reconciliationOptions,
  cost: ({ schedule }, zone, now) => ({
    requestsPerDay: 2 * slotsPerDay(schedule, zone, now),
    series: 4 * SOURCE_PAIRS.length,
    assumptions: ['the sources agree; each day on which they differ costs one more request'],
    warnings: [],
  }),
  collect,
  hasData,
  expose,
};

/** Days are compared only if both sources have them completely, so a successful run may store nothing. */
async function hasData(account: AccountSettings, store: Store): Promise<boolean> {
  const polled = comparedPairs(account);
  return (await store.reconciliation.newest(account.name)).some(({ pair }) => polled.includes(pair));
}

/** The shortest period that is compared. It always contains all of yesterday, even if a day has 25 hours. */
const MIN_PERIOD_MS = 2 * DAY + HOUR;

/** Compares days again as long as the deep reread may change them. */
async function collect(context: RunContext<ReconciliationOptions>): Promise<Outcome> {
  const { account, client, clock, log, store } = context;
  const now = clock.now();
  if (!account.traffic) return { skipped: 0, failedParts: [] };
  const periodMs = Math.max(account.traffic.deep_reread.span, MIN_PERIOD_MS);
  // If the local clock is ahead, its newest day has not ended for the provider, whose sources then still change.
  const endedBy = now + Math.min(0, client.endpoints.clockOffsetMs);
  const days = daysWithin(account.time_zone, now - periodMs, endedBy);
  const comparisons = await compareDays(context, days);
  await store.reconciliation.save(account.name, comparisons, now);
  for (const { pair, date, firstBytes, secondBytes, unexplainedBytes } of comparisons.filter(differs)) {
    log.warn(
      { pair, date, firstBytes, secondBytes, unexplainedBytes },
      'two sources differ by more than 1% of the larger one; run "proxywatch reconcile" to see the details',
    );
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
    // The result of sources that are off would never change again.
    if (!polled.includes(pair)) continue;
    sampleAll(sink, { pair }, families, {
      proxywatch_reconcile_difference_bytes: day.firstBytes - day.secondBytes,
      proxywatch_reconcile_unexplained_bytes: day.unexplainedBytes,
      proxywatch_reconcile_compared_bytes: comparedBytes(day),
      proxywatch_reconcile_last_timestamp_seconds: day.dayStart / SECOND,
    });
  }
}
