// Serves GET /api/v1/reconciliation: the results of the daily comparisons of sources.

import { z } from 'zod';
import { DAY } from '../../lib/time.ts';
import { type ReconciledDay, SOURCE_PAIRS } from '../../store/reconciliation-store.ts';
import { rfc3339 } from '../rfc3339.ts';
import { dateQuery, dateRangeError, dateRangeOf } from './dates.ts';
import { count, date, text, time } from './fields.ts';
import { accountItemOf } from './item.ts';
import { listRoute, whenEnabled } from './list-route.ts';
import { fromItems } from './page.ts';
import { someOf } from './parameters.ts';
import { revisionOfParts } from './route.ts';

const { schema: day, json: dayJson } = accountItemOf<ReconciledDay>()('ReconciledDay', (from) => ({
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
  hours: from(
    z
      .array(z.strictObject({ at: time, first_bytes: count, second_bytes: count }))
      .describe('Hours that differ, if the unexplained bytes exceed the tolerance'),
    ({ hours }) =>
      hours.map(({ at, firstBytes, secondBytes }) => ({
        ...{ at: rfc3339(at), first_bytes: firstBytes, second_bytes: secondBytes },
      })),
  ),
}));

export const RECONCILIATION_ROUTES = [
  listRoute({
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
    list: (view, query) =>
      dateRangeError(query) ??
      fromItems(
        whenEnabled(view, 'reconciliation', async (found) => {
          const { settings, store } = found;
          const { from, to } = dateRangeOf(query, found);
          // The range is a day longer on either side, because no zone differs from UTC by more.
          const start = Date.parse(from) - DAY;
          const days = await store.reconciliation.days(settings.name, start, Date.parse(to) + 2 * DAY);
          return days.filter(
            ({ date, pair }) =>
              date >= from && date <= to && (query.pair.length === 0 || query.pair.includes(pair)),
          );
        }),
        ({ date, pair }) => `${date}\n${pair}`,
      ),
    toJson: dayJson,
  }),
];
