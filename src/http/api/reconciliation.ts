// GET /api/v1/reconciliation: what the daily comparisons of sources found.

import { z } from 'zod';
import { DAY } from '../../lib/time.ts';
import { PAIRS, type Reconciled } from '../../store/reconciliation-store.ts';
import { rfc3339 } from '../rfc3339.ts';
import { dateQuery, datesOf, refusalOf } from './dates.ts';
import { account, count, date, text, time } from './fields.ts';
import { listRoute, whileOn } from './list-route.ts';
import { ofItems } from './page.ts';
import { partsOf } from './route.ts';

const day = z
  .strictObject({
    account,
    date: date.describe('Of the provider’s zone'),
    pair: z.enum(PAIRS),
    first_bytes: count,
    second_bytes: count,
    difference_bytes: count.describe('The first minus the second'),
    explained: z.array(z.strictObject({ cause: text, bytes: count })),
    unexplained_bytes: count,
    hours: z
      .array(z.strictObject({ at: time, first_bytes: count, second_bytes: count }))
      .describe('Those that differ, where more is unexplained than is tolerated'),
  })
  .meta({ id: 'ReconciledDay' });

const dayJson = (account: string, found: Reconciled) => ({
  account,
  date: found.date,
  pair: found.pair,
  first_bytes: found.firstBytes,
  second_bytes: found.secondBytes,
  difference_bytes: found.firstBytes - found.secondBytes,
  explained: found.explained.map(({ cause, bytes }) => ({ cause, bytes })),
  unexplained_bytes: found.unexplainedBytes,
  hours: found.hours.map(({ at, firstBytes, secondBytes }) => ({
    at: rfc3339(at),
    first_bytes: firstBytes,
    second_bytes: secondBytes,
  })),
});

export const RECONCILIATION_ROUTES = [
  listRoute({
    path: '/api/v1/reconciliation',
    collector: 'reconciliation',
    summary: 'Daily comparisons of the account’s sources',
    query: dateQuery,
    item: day,
    revision: partsOf(['reconciliation'], DAY),
    list: (view, query) =>
      refusalOf(query) ??
      ofItems(
        whileOn(view, 'reconciliation', async (found) => {
          const { settings, store } = found;
          const { from, to } = datesOf(query, found);
          // A day either side of UTC's: no zone is further off.
          const start = Date.parse(from) - DAY;
          const days = await store.reconciliation.days(settings.name, start, Date.parse(to) + 2 * DAY);
          return days.filter(({ date }) => date >= from && date <= to);
        }),
        ({ date, pair }) => `${date}\n${pair}`,
      ),
    toJson: dayJson,
  }),
];
