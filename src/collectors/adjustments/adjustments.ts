// Collects adjustments of services (service_adjustment/search), all of them once a day, and counts their statuses.

import { z } from 'zod';
import { cronExpression } from '../../config/primitives.ts';
import type { SampleSink } from '../../lib/family.ts';
import { DAY } from '../../lib/time.ts';
import { ADJUSTMENT_STATUS_WORDS, ADJUSTMENT_TYPE_WORDS } from '../../provider/documented-answers/words.ts';
import type { Vocabulary } from '../../provider/documented-words.ts';
import { mayBeAbsent, ProviderError } from '../../provider/errors.ts';
import { ADJUSTMENT_ENDPOINT, readAdjustments } from '../../provider/resources/adjustments.ts';
import type { Adjustment, AdjustmentLabels, AdjustmentPage } from '../../store/adjustment-store.ts';
import { shownCounter } from '../../store/counter.ts';
import type { Listing } from '../../store/listing.ts';
import { type Collector, type Outcome, slotsPerDay, withAbsenceAdvice } from '../collector.ts';
import type { ReadContext, RunContext } from '../context.ts';
import { verifyCustomer } from '../customer.ts';
import { counters } from '../families.ts';
import { type ListingResult, readListing } from '../listings/listing.ts';
import { ResumableListing } from '../listings/resumable-listing.ts';

const adjustmentOptions = z.strictObject({
  schedule: cronExpression().default('*/15 * * * *').describe('Schedule for reading the adjustments'),
});
type AdjustmentOptions = z.infer<typeof adjustmentOptions>;

const families = counters(['type', 'status', 'by'], {
  proxywatch_service_adjustments_total:
    'Number of adjustments of services that reached the status since the baseline, polled from service_adjustment/search. An adjustment counts once for each status that it has at a poll. A type or status that is not documented is other, and one that is not given is unknown.',
});

const ASSUMED_SERIES = 20;

export const adjustments: Collector<AdjustmentOptions, AdjustmentState> = {
  name: 'adjustments',
  description: 'Adjustments of services, and the proxies that they replace',
  endpoints: [ADJUSTMENT_ENDPOINT],
  families: Object.values(families),
  options: adjustmentOptions,
  cost: ({ schedule }, zone, now) => ({
    requestsPerDay: slotsPerDay(schedule, zone, now),
    series: ASSUMED_SERIES,
    assumptions: [
      'up to 100 adjustments of services change in two days; once a day, a run reads all, with one request for each 100',
    ],
    warnings: [],
  }),
  open: async () => newAdjustmentState(),
  collect: (context, state) => withAbsenceAdvice('adjustments', collectAdjustments(context, state, labelsOf)),
  expose,
};

/** Undocumented words share a label, so that the number of series has a limit. */
const labelsOf = ({ type, status, by }: Adjustment): AdjustmentLabels => ({
  type: labelOf(type, ADJUSTMENT_TYPE_WORDS),
  status: labelOf(status, ADJUSTMENT_STATUS_WORDS),
  by: by ?? 'unknown',
});

const labelOf = (word: string | null, vocabulary: Vocabulary): string => {
  if (word === null) return 'unknown';
  return vocabulary.has(word) ? word : 'other';
};

async function expose({ account, store }: ReadContext<unknown>, sink: SampleSink): Promise<void> {
  const { storedAt } = await store.adjustments.listing(account.name);
  for (const { counter, ...labels } of await store.adjustments.counters(account.name))
    sink.sample(families.proxywatch_service_adjustments_total, labels, shownCounter(counter, storedAt).value);
}

interface AdjustmentState {
  readonly listing: ResumableListing;
  /** Until when all adjustments are read (ms), because the filter by the time of the last update does not work. */
  readAllUntil: number;
  /** Known adjustments that the newest complete listing lacks, so they say nothing about the filter. */
  absentIds: ReadonlySet<string>;
}

const newAdjustmentState = (): AdjustmentState => ({
  ...{ listing: new ResumableListing(), readAllUntil: 0, absentIds: new Set() },
});

/** All adjustments are read after this time, because an update may not change the time that the filter compares. */
const WHOLE_EVERY_MS = DAY;
/** Changes that the provider publishes late are found within this time. */
const OVERLAP_MS = 2 * DAY;

const collectAdjustments = async (
  context: RunContext<unknown>,
  state: AdjustmentState,
  labelsOf: AdjustmentPage['labelsOf'],
): Promise<Outcome> => {
  const { account, clock } = context;
  const { adjustments } = context.store;
  const now = clock.now();
  await adjustments.trim(account.name);
  const of = { labelsOf, oldestKept: await adjustments.oldestKept(account.name) };
  const recent = await adjustments.recent(account.name, now);
  const newest = recent.find(({ id }) => !state.absentIds.has(id));
  const isDue = now < state.readAllUntil || isWholeDue(await adjustments.listing(account.name), now);
  const filtered = isDue ? undefined : newest;
  if (filtered) {
    const since = filtered.updatedAt - OVERLAP_MS;
    const changed = await read(context, { ...of, since }).catch(undefinedIfRefused);
    if (changed?.seenIds.has(filtered.id)) return changed.outcome;
  }
  const all = await read(context, { ...of, listing: state.listing });
  const { seenIds, startedAt, isComplete, isCounted } = all;
  if (isComplete) {
    await adjustments.completeListing(account.name, startedAt, clock.now());
    state.absentIds = new Set(recent.flatMap(({ id }) => (seenIds.has(id) ? [] : [id])));
  } else if (isCounted) await adjustments.countListing(account.name, startedAt, clock.now());
  // The filter is at fault, and not the endpoint or an adjustment that was removed.
  if (filtered && isCounted && seenIds.has(filtered.id)) state.readAllUntil = now + WHOLE_EVERY_MS;
  return all.outcome;
};

const isWholeDue = ({ baselinedAt, countedStartedAt }: Listing, now: number): boolean =>
  baselinedAt === null || countedStartedAt === null || now - countedStartedAt >= WHOLE_EVERY_MS;

/** The provider may refuse the filter or the endpoint. The listing of all adjustments shows which. */
const undefinedIfRefused = (error: unknown): undefined => {
  if (!(error instanceof ProviderError && (error.kind === 'rejected' || mayBeAbsent(error)))) throw error;
};

interface Reading extends Pick<AdjustmentPage, 'labelsOf' | 'oldestKept'> {
  readonly listing?: ResumableListing;
  readonly since?: number;
}

const read = async (
  context: RunContext<unknown>,
  { listing, since, ...of }: Reading,
): Promise<ListingResult> => {
  const { account, client, clock, signal, store } = context;
  // An adjustment does not name its customer.
  await verifyCustomer(context);
  return readListing(
    context,
    { endpoint: ADJUSTMENT_ENDPOINT, unit: 'adjustments' },
    (progress) => readAdjustments(client, { timeZone: account.time_zone, signal, progress, since }),
    async (page, { runStartedAt: startedAt }) => {
      await verifyCustomer(context);
      const adjustments = page.map(({ customerId: _, ...adjustment }) => adjustment);
      await store.adjustments.savePage(account.name, { ...of, adjustments, startedAt, now: clock.now() });
    },
    listing,
  );
};
