// Collects what each proxy user used of each host name from log_summary/search, day by day, in several runs if need be.

import { PRODUCT_TYPES } from '../../lib/product-types.ts';
import { PER_PAGE } from '../../provider/page-request.ts';
import { type Collector, describeNumber, slotsPerDay, textIf, withAbsenceAdvice } from '../collector.ts';
import { exposeUsage, families, SERIES_BY_KIND, SERIES_OF_TYPE } from './expose.ts';
import { type UsageOptions, usageOptions } from './options.ts';
import { collectUsage, USAGE_ENDPOINT, type UsageState } from './read-days.ts';

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
        `${describeNumber(known?.users, ASSUMED_USERS, 'proxy users')} that each use ${ASSUMED_HOSTNAMES} host names a day; a run reads today and yesterday whole`,
      ],
      warnings: textIf(
        max_pages < 2 * pagesOfDay,
        `a run needs about ${2 * pagesOfDay} requests for today and yesterday, and max_pages is ${max_pages}; older days are then read late or never`,
      ),
    };
  },
  open: async () => ({ reading: undefined }),
  collect: (context, state) => withAbsenceAdvice('usage', collectUsage(context, state)),
  expose: exposeUsage,
};
