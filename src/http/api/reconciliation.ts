// Serves GET /api/v1/reconciliation: the results of the daily comparisons of sources.

import { z } from 'zod';
import { DAY } from '../../lib/time.ts';
import { type ReconciledDay, SOURCE_PAIRS } from '../../store/reconciliation-store.ts';
import { accountItemOf, count, date, text, time } from './item.ts';
import { shortListRoute } from './list-route.ts';
import { checkDates, dateQuery, dateRangeOf, someOf } from './parameters.ts';
import { revisionOfParts } from './route.ts';

export const { schema: day, json: dayJson } = accountItemOf<ReconciledDay>()('ReconciledDay', (from) => ({
  date: date.describe('Day in the account’s `time_zone`'),
  pair: z.enum(SOURCE_PAIRS),
  first_bytes: count,
  second_bytes: count,
  difference_bytes: from(
    count.describe('`first_bytes` minus `second_bytes`'),
    ({ firstBytes, secondBytes }) => firstBytes - secondBytes,
  ),
  explained: z.array(z.strictObject({ cause: text, bytes: count })),
  unexplained_bytes: count,
  hours: z
    .array(z.strictObject({ at: time, first_bytes: count, second_bytes: count }))
    .describe('Hours that differ, if the unexplained bytes exceed the tolerance'),
}));

export const RECONCILIATION_ROUTE = shortListRoute({
  path: '/api/v1/reconciliation',
  collector: 'reconciliation',
  summary: 'Daily comparisons of the account’s sources',
  query: {
    ...dateQuery,
    pair: someOf(SOURCE_PAIRS).describe(
      'Only comparisons of these two sources. You can repeat the parameter',
    ),
  },
  item: day,
  revision: revisionOfParts(['reconciliation'], DAY),
  check: checkDates,
  items: async (found, query) => {
    const { from, to } = dateRangeOf(query, found);
    // The range is a day longer on either side, because no zone differs from UTC by more.
    const [start, end] = [Date.parse(from) - DAY, Date.parse(to) + 2 * DAY];
    const days = await found.store.reconciliation.days(found.settings.name, start, end);
    return days.filter(
      ({ date, pair }) =>
        date >= from && date <= to && (query.pair.length === 0 || query.pair.includes(pair)),
    );
  },
  idOf: ({ date, pair }) => `${date}\n${pair}`,
  toJson: dayJson,
});
