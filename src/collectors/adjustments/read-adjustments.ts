// Reads adjustments into the store: all of them once a day, and otherwise those that changed since.

import { DAY } from '../../lib/time.ts';
import { mayBeAbsent, ProviderError } from '../../provider/errors.ts';
import { ADJUSTMENT_ENDPOINT, readAdjustments } from '../../provider/resources/adjustments.ts';
import type { AdjustmentPage } from '../../store/adjustment-store.ts';
import type { Listing } from '../../store/listing.ts';
import type { Outcome } from '../collector.ts';
import type { RunContext } from '../context.ts';
import { verifyCustomer } from '../customer.ts';
import { type ListingResult, readListing } from '../listings/listing.ts';
import { ResumableListing } from '../listings/resumable-listing.ts';

export interface AdjustmentState {
  /** The listing of all adjustments. */
  readonly listing: ResumableListing;
  /** Until when all adjustments are read (ms), because the filter by the time of the last update does not work. */
  readAllUntil: number;
  /** Known adjustments that the newest complete listing lacks, so they say nothing about the filter. */
  absentIds: ReadonlySet<string>;
}

export const newAdjustmentState = (): AdjustmentState => ({
  ...{ listing: new ResumableListing(), readAllUntil: 0, absentIds: new Set() },
});

/** All adjustments are read after this time, because an update may not change the time that the filter compares. */
const WHOLE_EVERY_MS = DAY;
/** Changes that the provider publishes late are found within this time. */
const OVERLAP_MS = 2 * DAY;

export const collectAdjustments = async (
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
