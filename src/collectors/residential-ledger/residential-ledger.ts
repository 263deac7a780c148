// Collects the residential ledger from residential_ledger/search: bytes added and used, and the balance.

import { z } from 'zod';
import { cronExpression } from '../../config/primitives.ts';
import type { SampleSink } from '../../lib/family.ts';
import { SECOND } from '../../lib/time.ts';
import { LEDGER_REASON_WORDS } from '../../provider/documented-words.ts';
import { readLedger } from '../../provider/resources/residential-ledger.ts';
import { shownCounter } from '../../store/counter.ts';
import type { LedgerReason, LedgerRule } from '../../store/ledger-store.ts';
import type { Listing } from '../../store/listing.ts';
import { type Collector, type Outcome, slotsPerDay } from '../collector.ts';
import type { ReadContext, RunContext } from '../context.ts';
import { counters, gauges, sampleAll } from '../families.ts';
import { readListing } from '../listings/listing.ts';
import { ResumableListing } from '../listings/resumable-listing.ts';
import { unknownWord } from '../unknown-words.ts';
import { bytesOf, createEntryReader, type ReadEntries } from './entries.ts';
import { ledgerHistory } from './history.ts';
import { exhaustionTimeOf, isCounted, leftBytesOf, recentBalance } from './recent-balance.ts';

const RESOURCE = { endpoint: 'residential_ledger/search', unit: 'rows' };

export const ledgerOptions = z.strictObject({
  schedule: cronExpression().default('*/10 * * * *').describe('Schedule for reading the ledger'),
  usage_reasons: z.array(z.string().min(1)).default(['usage']).describe('Reasons of rows with used bytes'),
  usage_sign: z
    .enum(['auto', 'negative', 'positive'])
    .default('auto')
    .describe(
      'Sign of the bytes in rows with a reason from usage_reasons. The value auto accepts both signs',
    ),
});
type LedgerOptions = z.infer<typeof ledgerOptions>;

const SOURCE = 'polled from residential_ledger/search.';
const REASON = ['reason'] as const;

const FORECAST =
  'in seconds since the epoch. The series is missing if the account uses almost no bytes, if no bytes are left, and on the first day of history.';

const families = {
  ...counters(REASON, {
    proxywatch_residential_ledger_added_bytes_total: `Number of bytes added since the baseline, ${SOURCE}`,
    proxywatch_residential_ledger_used_bytes_total: `Number of bytes used or deducted since the baseline, ${SOURCE}`,
    proxywatch_residential_ledger_requests_total: `Number of requests since the baseline, ${SOURCE} The series is missing if no row contains a number of requests.`,
  }),
  ...gauges(REASON, {
    proxywatch_residential_ledger_entries: `Number of rows in the ledger, ${SOURCE} The series is missing before the first counted listing.`,
  }),
  ...gauges(['reason', 'direction'], {
    proxywatch_residential_ledger_withheld_bytes:
      'Number of bytes that the counter of the direction (added or used) contains although the provider has corrected them downward. The true total is the counter minus this value. The value is below 0 only while a new counter still shows 0.',
  }),
  ...gauges([], {
    proxywatch_residential_balance_bytes: `Residential balance in bytes, as added bytes minus used bytes of the whole ledger, ${SOURCE} The series is missing before the first complete listing.`,
  }),
  ...gauges(['service_id'], {
    proxywatch_residential_service_balance_bytes: `Residential balance of the service in bytes, as added bytes minus used bytes of the rows that name the service, ${SOURCE}`,
  }),
  ...gauges([], {
    proxywatch_residential_balance_exhaustion_timestamp_seconds: `Time at which the forecast expects the balance to be used up, ${FORECAST}`,
  }),
  ...gauges(['service_id'], {
    proxywatch_residential_service_balance_exhaustion_timestamp_seconds: `Time at which the forecast expects the balance of the service to be used up, ${FORECAST}`,
  }),
  ...gauges([], {
    proxywatch_residential_ledger_added_30d_bytes: `Number of bytes added in the last 30 days, ${SOURCE}`,
    proxywatch_residential_ledger_used_7d_bytes: `Number of bytes used in the last 7 days by rows with a reason from the setting usage_reasons, ${SOURCE}`,
  }),
} as const;

/** The state that the runs of an account share. */
interface LedgerState {
  readonly listing: ResumableListing;
  readonly readEntries: ReadEntries;
}

export const residentialLedger: Collector<LedgerOptions, LedgerState> = {
  name: 'residential_ledger',
  description: 'Added and used residential bytes, and the balance',
  isOnByDefault: true,
  endpoints: [RESOURCE.endpoint],
  families: Object.values(families),
  options: ledgerOptions,
  open: async ({ account, options, store, clock }) => {
    await store.ledger.open(account.name, options.usage_reasons, clock.now());
    await store.ledger.applyRule(account.name, ruleOf(options));
    return { listing: new ResumableListing(), readEntries: createEntryReader() };
  },
  unknownWords: ({ usage_reasons }) =>
    usage_reasons.flatMap((reason, index) =>
      unknownWord(LEDGER_REASON_WORDS, reason, ['usage_reasons', index]),
    ),
  cost: ({ schedule }, zone, now) => ({
    requestsPerDay: slotsPerDay(schedule, zone, now),
    series: 20,
    assumptions: ['the ledger has up to 100 rows; each further 100 rows cost one more request per poll'],
    warnings: [],
  }),
  collect,
  expose,
  history: ledgerHistory({
    addedBytes: families.proxywatch_residential_ledger_added_bytes_total,
    usedBytes: families.proxywatch_residential_ledger_used_bytes_total,
    requests: families.proxywatch_residential_ledger_requests_total,
  }),
};

async function collect(
  context: RunContext<LedgerOptions>,
  { listing, readEntries }: LedgerState,
): Promise<Outcome> {
  const { account, client, clock, options: rule, signal, store } = context;
  const { skippedIds, startedAt, isComplete, isCounted, outcome } = await readListing(
    context,
    RESOURCE,
    (progress) => readLedger(client, { timeZone: account.time_zone, signal, progress }),
    async (page, { runStartedAt }) =>
      store.ledger.savePage(account.name, await readEntries(context, page), clock.now(), runStartedAt),
    listing,
  );
  const { usage_reasons } = rule;
  // Rows are never removed. So a listing in several runs also has all rows if the total did not change.
  if (isComplete)
    await store.ledger.completeListing(account.name, usage_reasons, startedAt, clock.now(), skippedIds);
  else if (isCounted) await store.ledger.countListing(account.name, startedAt, clock.now(), skippedIds);
  return outcome;
}

async function expose(context: ReadContext<LedgerOptions>, sink: SampleSink): Promise<void> {
  const summary = await context.store.ledger.summary(context.account.name);
  const { listing, reasons, services } = summary;
  for (const reason of reasons) exposeReason(reason, listing, sink);
  const recent = await recentBalance(context, summary);
  const { completeAt } = listing;
  if (completeAt === null || !recent) return;
  sampleAll(sink, {}, families, {
    proxywatch_residential_balance_bytes: recent.leftBytes,
    proxywatch_residential_balance_exhaustion_timestamp_seconds: secondsOf(recent.exhaustedAt),
    proxywatch_residential_ledger_added_30d_bytes: recent.addedBytes,
    proxywatch_residential_ledger_used_7d_bytes: recent.usedBytes,
  });
  for (const [service_id, balance] of services)
    sampleAll(sink, { service_id }, families, {
      proxywatch_residential_service_balance_bytes: leftBytesOf(balance),
      proxywatch_residential_service_balance_exhaustion_timestamp_seconds: secondsOf(
        exhaustionTimeOf(balance, completeAt),
      ),
    });
}

const exposeReason = (
  { reason, counters: stored, entries: count }: LedgerReason,
  listing: Listing,
  sink: SampleSink,
): void => {
  const { storedAt } = listing;
  const added = shownCounter(stored.addedBytes, storedAt);
  const used = shownCounter(stored.usedBytes, storedAt);
  sampleAll(sink, { reason }, families, {
    proxywatch_residential_ledger_added_bytes_total: added.value,
    proxywatch_residential_ledger_used_bytes_total: used.value,
    proxywatch_residential_ledger_requests_total:
      stored.requests && shownCounter(stored.requests, storedAt).value,
    proxywatch_residential_ledger_entries: isCounted(listing) ? count : undefined,
  });
  const withheld = families.proxywatch_residential_ledger_withheld_bytes;
  sink.sample(withheld, { reason, direction: 'added' }, added.withheld);
  sink.sample(withheld, { reason, direction: 'used' }, used.withheld);
};

/** Seconds since the epoch. */
const secondsOf = (at: number | undefined): number | undefined => at && Math.round(at / SECOND);

const ruleOf = (options: LedgerOptions): LedgerRule => ({
  key: JSON.stringify([options.usage_reasons.toSorted(), options.usage_sign]),
  usageReasons: options.usage_reasons,
  balanceOf: (reason, bytes) => bytesOf(options, reason, bytes),
});
