// Collects the bytes added and used, and the balance, from residential_ledger/search and mobile_ledger/search.

import { z } from 'zod';
import { cronExpression } from '../../config/primitives.ts';
import { counter, gauge, type SampleSink } from '../../lib/family.ts';
import type { MeteredType } from '../../lib/product-types.ts';
import { SECOND } from '../../lib/time.ts';
import { LEDGER_REASON_WORDS } from '../../provider/documented-words.ts';
import { readLedger } from '../../provider/resources/ledger.ts';
import { shownCounter } from '../../store/counter.ts';
import type { LedgerReason, LedgerRule } from '../../store/ledger-store.ts';
import type { Listing } from '../../store/listing.ts';
import { type Collector, type Outcome, slotsPerDay } from '../collector.ts';
import type { ReadContext, RunContext } from '../context.ts';
import { familiesBy, sampleAll } from '../families.ts';
import { readListing } from '../listings/listing.ts';
import { ResumableListing } from '../listings/resumable-listing.ts';
import { unknownWord } from '../unknown-words.ts';
import { bytesOf, createEntryReader, type ReadEntries } from './entries.ts';
import { ledgerHistory } from './history.ts';
import { exhaustionTimeOf, isCounted, leftBytesOf, recentBalance } from './recent-balance.ts';

const REASON = ['reason'] as const;
const SERVICE = ['service_id'] as const;

const FORECAST =
  'in seconds since the epoch. The series is missing if the account uses almost no bytes, if no bytes are left, and on the first day of history.';

const familiesOf = (type: MeteredType) => {
  const prefix = `proxywatch_${type}_`;
  const [gauges, counters] = [familiesBy(gauge, prefix), familiesBy(counter, prefix)];
  const source = `polled from ${type}_ledger/search.`;
  const balance = `${type[0]?.toUpperCase()}${type.slice(1)} balance`;
  return {
    ...counters(REASON, {
      ledger_added_bytes_total: `Number of bytes added since the baseline, ${source}`,
      ledger_used_bytes_total: `Number of bytes used or deducted since the baseline, ${source}`,
      ledger_requests_total: `Number of requests since the baseline, ${source} The series is missing if no row contains a number of requests.`,
    }),
    ...gauges(REASON, {
      ledger_entries: `Number of rows in the ledger, ${source} The series is missing before the first counted listing.`,
    }),
    ...gauges(['reason', 'direction'], {
      ledger_withheld_bytes:
        'Number of bytes that the counter of the direction (added or used) contains although the provider has corrected them downward. The true total is the counter minus this value. The value is below 0 only while a new counter still shows 0.',
    }),
    ...gauges([], {
      balance_bytes: `${balance} in bytes, as added bytes minus used bytes of the whole ledger, ${source} The series is missing before the first complete listing.`,
    }),
    ...gauges(SERVICE, {
      service_balance_bytes: `${balance} of the service in bytes, as added bytes minus used bytes of the rows that name the service, ${source}`,
    }),
    ...gauges([], {
      balance_exhaustion_timestamp_seconds: `Time at which the forecast expects the balance to be used up, ${FORECAST}`,
    }),
    ...gauges(SERVICE, {
      service_balance_exhaustion_timestamp_seconds: `Time at which the forecast expects the balance of the service to be used up, ${FORECAST}`,
    }),
    ...gauges([], {
      ledger_added_30d_bytes: `Number of bytes added in the last 30 days, ${source}`,
      ledger_used_7d_bytes: `Number of bytes used in the last 7 days by rows with a reason from the setting usage_reasons, ${source}`,
    }),
  } as const;
};

type LedgerFamilies = ReturnType<typeof familiesOf>;

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

/** The state that the runs of an account share. */
interface LedgerState {
  readonly listing: ResumableListing;
  readonly readEntries: ReadEntries;
}

/** The families of the collectors, for the alerts. */
export const LEDGER_FAMILIES = { residential: familiesOf('residential'), mobile: familiesOf('mobile') };

const ledgerCollector = (type: MeteredType): Collector<LedgerOptions, LedgerState> => {
  const families = LEDGER_FAMILIES[type];
  return {
    name: `${type}_ledger`,
    description: `Added and used ${type} bytes, and the balance`,
    // Not every customer has mobile services.
    ...(type === 'residential' && { isOnByDefault: true }),
    endpoints: [`${type}_ledger/search`],
    families: Object.values(families),
    options: ledgerOptions,
    open: async ({ account, options, store, clock }) => {
      await store.ledgers[type].open(account.name, options.usage_reasons, clock.now());
      await store.ledgers[type].applyRule(account.name, ruleOf(options));
      return { listing: new ResumableListing(), readEntries: createEntryReader(type) };
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
    collect: (context, state) => collect(type, context, state),
    expose: (context, sink) => expose(type, context, sink),
    history: ledgerHistory(type, {
      addedBytes: families.ledger_added_bytes_total,
      usedBytes: families.ledger_used_bytes_total,
      requests: families.ledger_requests_total,
    }),
  };
};

export const residentialLedger = ledgerCollector('residential');
export const mobileLedger = ledgerCollector('mobile');

async function collect(
  type: MeteredType,
  context: RunContext<LedgerOptions>,
  { listing, readEntries }: LedgerState,
): Promise<Outcome> {
  const { account, client, clock, options: rule, signal } = context;
  const ledger = context.store.ledgers[type];
  const { skippedIds, startedAt, isComplete, isCounted, outcome } = await readListing(
    context,
    { endpoint: `${type}_ledger/search`, unit: 'rows' },
    (progress) => readLedger(client, type, { timeZone: account.time_zone, signal, progress }),
    async (page, { runStartedAt }) =>
      ledger.savePage(account.name, await readEntries(context, page), clock.now(), runStartedAt),
    listing,
  );
  const { usage_reasons } = rule;
  // Rows are never removed. So a listing in several runs also has all rows if the total did not change.
  if (isComplete)
    await ledger.completeListing(account.name, usage_reasons, startedAt, clock.now(), skippedIds);
  else if (isCounted) await ledger.countListing(account.name, startedAt, clock.now(), skippedIds);
  return outcome;
}

async function expose(
  type: MeteredType,
  context: ReadContext<LedgerOptions>,
  sink: SampleSink,
): Promise<void> {
  const families = LEDGER_FAMILIES[type];
  const summary = await context.store.ledgers[type].summary(context.account.name);
  const { listing, reasons, services } = summary;
  for (const reason of reasons) exposeReason(families, reason, listing, sink);
  const recent = await recentBalance(type, context, summary);
  const { completeAt } = listing;
  if (completeAt === null || !recent) return;
  sampleAll(sink, {}, families, {
    balance_bytes: recent.leftBytes,
    balance_exhaustion_timestamp_seconds: secondsOf(recent.exhaustedAt),
    ledger_added_30d_bytes: recent.addedBytes,
    ledger_used_7d_bytes: recent.usedBytes,
  });
  for (const [service_id, balance] of services)
    sampleAll(sink, { service_id }, families, {
      service_balance_bytes: leftBytesOf(balance),
      service_balance_exhaustion_timestamp_seconds: secondsOf(exhaustionTimeOf(balance, completeAt)),
    });
}

const exposeReason = (
  families: LedgerFamilies,
  { reason, counters: stored, entries: count }: LedgerReason,
  listing: Listing,
  sink: SampleSink,
): void => {
  const { storedAt } = listing;
  const added = shownCounter(stored.addedBytes, storedAt);
  const used = shownCounter(stored.usedBytes, storedAt);
  sampleAll(sink, { reason }, families, {
    ledger_added_bytes_total: added.value,
    ledger_used_bytes_total: used.value,
    ledger_requests_total: stored.requests && shownCounter(stored.requests, storedAt).value,
    ledger_entries: isCounted(listing) ? count : undefined,
  });
  sink.sample(families.ledger_withheld_bytes, { reason, direction: 'added' }, added.withheld);
  sink.sample(families.ledger_withheld_bytes, { reason, direction: 'used' }, used.withheld);
};

/** Seconds since the epoch. */
const secondsOf = (at: number | undefined): number | undefined => at && Math.round(at / SECOND);

const ruleOf = (options: LedgerOptions): LedgerRule => ({
  key: JSON.stringify([options.usage_reasons.toSorted(), options.usage_sign]),
  usageReasons: options.usage_reasons,
  balanceOf: (reason, bytes) => bytesOf(options, reason, bytes),
});
