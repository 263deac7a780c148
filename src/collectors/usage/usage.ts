// Collects what each proxy user used of each host name from log_summary/search, day by day, in several runs if need be, and
// exposes it as samples.

import type { SampleSink } from '../../lib/family.ts';
import { PRODUCT_TYPES } from '../../lib/product-types.ts';
import { DAY } from '../../lib/time.ts';
import { ProviderError } from '../../provider/errors.ts';
import { PER_PAGE } from '../../provider/page-request.ts';
import { localDate } from '../../provider/resources/ledger.ts';
import { shownCounter } from '../../store/counter.ts';
import {
  dateOf,
  dayOf,
  MAX_USE_ROWS,
  type TopKind,
  type UseCounter,
  type UseCounterGroup,
  type UseDay,
} from '../../store/log-summary-store.ts';
import {
  type Collector,
  describeNumber,
  type FailedPart,
  type Outcome,
  slotsPerDay,
  textIf,
  withAbsenceAdvice,
} from '../collector.ts';
import type { ReadContext, RunContext } from '../context.ts';
import { counters, gauges, sampleAll } from '../families.ts';
import { type UsageOptions, usageOptions } from './options.ts';
import { isOfDay, newUsageState, readDay, USAGE_ENDPOINT, type UsageState } from './read-day.ts';

const SOURCE = 'since the baseline, polled from log_summary/search.';
const OTHERS = 'All that are not among the top ones count as other.';

const families = {
  ...counters(['product_type'], {
    proxywatch_charged_bytes_total: `Number of bytes that the provider charges ${SOURCE}`,
  }),
  ...gauges(['product_type'], {
    proxywatch_charged_withheld_bytes:
      'Number of bytes that the counter of charged bytes contains although the provider has corrected them downward. The true total is the counter minus this value. The value is below 0 only while a new counter still shows 0.',
  }),
  ...counters(['proxy_user_id', 'product_type'], {
    proxywatch_user_charged_bytes_total: `Number of charged bytes of the proxy user ${SOURCE} ${OTHERS}`,
  }),
  ...counters(['hostname', 'product_type'], {
    proxywatch_hostname_bytes_total: `Number of bytes of the host name ${SOURCE} ${OTHERS}`,
    proxywatch_hostname_charged_bytes_total: `Number of charged bytes of the host name ${SOURCE} ${OTHERS}`,
    proxywatch_hostname_requests_total: `Number of requests to the host name ${SOURCE} ${OTHERS}`,
  }),
} as const;

const OTHER_NAMES = 'other';
/** What the provider has dropped, or does not say. */
const UNKNOWN_NAME = 'unknown';

const exposeUsage = async ({ account, store }: ReadContext<unknown>, sink: SampleSink): Promise<void> => {
  const { storedAt, groups } = await store.logSummaries.counters(account.name);
  for (const group of groups) exposeGroup(group, storedAt, sink);
};

const exposeGroup = (
  { network: product_type, of, counters: stored }: UseCounterGroup,
  storedAt: number | null,
  sink: SampleSink,
): void => {
  const shown = (name: UseCounter) => stored[name] && shownCounter(stored[name], storedAt);
  const charged = shown('chargedBytes');
  if (of === null) {
    sampleAll(sink, { product_type }, families, {
      proxywatch_charged_bytes_total: charged?.value,
      proxywatch_charged_withheld_bytes: charged?.withheld,
    });
    return;
  }
  const label = of.name === null ? OTHER_NAMES : of.name || UNKNOWN_NAME;
  if (of.kind === 'user')
    sampleAll(sink, { proxy_user_id: label, product_type }, families, {
      proxywatch_user_charged_bytes_total: charged?.value,
    });
  else
    sampleAll(sink, { hostname: label, product_type }, families, {
      proxywatch_hostname_bytes_total: shown('bytes')?.value,
      proxywatch_hostname_charged_bytes_total: charged?.value,
      proxywatch_hostname_requests_total: shown('requests')?.value,
    });
};

const collectUsage = async (context: RunContext<UsageOptions>, state: UsageState): Promise<Outcome> => {
  const { account, clock, options, store } = context;
  const [now, known] = [clock.now(), await store.logSummaries.days(account.name)];
  const today = dayOf(localDate(now, account.time_zone));
  const budget = { pages: options.max_pages };
  const failedParts: FailedPart[] = [];
  let skipped = 0;
  for (const day of dueDays(known, { today, now, state }, options)) {
    if (budget.pages <= 0) break;
    try {
      const isLive = today - day < LIVE_DAYS * DAY;
      skipped += await readDay(context, state, { day, isToday: day === today, isLive, budget });
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      // What the provider refuses or does not answer for one day, it refuses for all.
      if (day === today || !isOfDay(error)) throw error;
      failedParts.push({ part: dateOf(day), error });
      // The next run goes on with this day.
      if (state.reading) break;
    }
  }
  return { skipped, failedParts };
};

/** Rows of these days are new or change at any time. */
const LIVE_DAYS = 2;
/** The rest is for the rows to come. */
const FULL_PART = 0.9;

/**
 * Returns today and yesterday, the days of `reread_days` that were last read a day ago, and those of `history_days` that were
 * never read, while the store has room, but none whose rows were deleted. The newest come first, but the half-read one before them.
 */
const dueDays = (
  known: readonly UseDay[],
  { today, now, state }: { readonly today: number; readonly now: number; readonly state: UsageState },
  { history_days, reread_days }: Pick<UsageOptions, 'history_days' | 'reread_days'>,
): number[] => {
  const isFull = known.reduce((sum, { rows }) => sum + rows, 0) >= MAX_USE_ROWS * FULL_PART;
  const days = new Map(known.map((each) => [each.day, each]));
  return Array.from({ length: Math.max(history_days, reread_days) }, (_, ago) => today - ago * DAY)
    .filter((day, ago) => {
      const { readAt = 0, isDeleted = false } = days.get(day) ?? {};
      const at = state.changes.allReadAt(day) ?? readAt;
      if (isDeleted) return false;
      return ago < LIVE_DAYS || (at === 0 && !isFull) || (ago < reread_days && now - at >= DAY);
    })
    .sort((a, b) => Number(b === state.reading?.day) - Number(a === state.reading?.day));
};

const SERIES_BY_KIND: Readonly<Record<TopKind, number>> = { user: 1, hostname: 3 };
/** The series of a product type. */
const SERIES_OF_TYPE = 2;

const ASSUMED_USERS = 1_000;
const ASSUMED_HOSTNAMES = 10;

export const usage: Collector<UsageOptions, UsageState> = {
  name: 'usage',
  description: 'What each proxy user used of each host name, and what of it is charged',
  endpoints: [USAGE_ENDPOINT],
  families: Object.values(families),
  options: usageOptions,
  cost: ({ schedule, top_users, top_hostnames, reread_days, max_pages }, zone, now, _settings, known) => {
    const users = known?.users ?? ASSUMED_USERS;
    const pagesOfDay = Math.ceil((users * ASSUMED_HOSTNAMES) / PER_PAGE);
    const [runs, series] = [slotsPerDay(schedule, zone, now), SERIES_BY_KIND];
    return {
      requestsPerDay: Math.min(runs * max_pages, (2 * runs + reread_days - 2) * pagesOfDay),
      series:
        PRODUCT_TYPES.length *
        (SERIES_OF_TYPE + (1 + top_users) * series.user + (1 + top_hostnames) * series.hostname),
      assumptions: [
        `${describeNumber(known?.users, ASSUMED_USERS, 'proxy users')} that each use ${ASSUMED_HOSTNAMES} host names a day; a run reads all rows of today and yesterday, or fewer if the provider knows which changed`,
      ],
      warnings: textIf(
        max_pages < 2 * pagesOfDay,
        `a run needs about ${2 * pagesOfDay} requests for today and yesterday, and max_pages is ${max_pages}; older days are then read late or never`,
      ),
    };
  },
  open: async () => newUsageState(),
  collect: (context, state) => withAbsenceAdvice('usage', collectUsage(context, state)),
  expose: exposeUsage,
};
