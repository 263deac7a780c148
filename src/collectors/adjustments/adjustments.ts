// Collects adjustments of services from service_adjustment/search, and counts the statuses that they reach.

import { z } from 'zod';
import { cronExpression } from '../../config/primitives.ts';
import type { SampleSink } from '../../lib/family.ts';
import { ADJUSTMENT_STATUS_WORDS, ADJUSTMENT_TYPE_WORDS } from '../../provider/documented-answers/words.ts';
import type { Vocabulary } from '../../provider/documented-words.ts';
import { ADJUSTMENT_ENDPOINT } from '../../provider/resources/adjustments.ts';
import type { Adjustment, AdjustmentLabels } from '../../store/adjustment-store.ts';
import { shownCounter } from '../../store/counter.ts';
import { type Collector, slotsPerDay, withAbsenceAdvice } from '../collector.ts';
import type { ReadContext } from '../context.ts';
import { counters } from '../families.ts';
import { type AdjustmentState, collectAdjustments, newAdjustmentState } from './read-adjustments.ts';

const adjustmentOptions = z.strictObject({
  schedule: cronExpression().default('*/15 * * * *').describe('Schedule for reading the adjustments'),
});
export type AdjustmentOptions = z.infer<typeof adjustmentOptions>;

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
