// Counts requests and errors in the provider's log (log/search), without listing it.

import { PRODUCT_TYPES } from '../../lib/product-types.ts';
import { REFUSAL_CLASSES } from '../../lib/refusal-codes.ts';
import { DAY, HOUR, MINUTE } from '../../lib/time.ts';
import { PER_PAGE } from '../../provider/page-request.ts';
import { type Collector, slotsPerDay, textIf, withAbsenceAdvice } from '../collector.ts';
import { collectRequestLog, openRequestLog } from './collect.ts';
import { exposeRequestLog, families } from './expose.ts';
import { type RequestLogOptions, requestLogOptions } from './options.ts';
import { type CountingState, LOG_ENDPOINT } from './window-result.ts';

/** The codes of errors of a product type in a window. */
const ASSUMED_CODES = 6;
/** The requests for the whole window, and for the number and the success of each type, and for its codes. */
const REQUESTS_OF_WINDOW = 1 + PRODUCT_TYPES.length * (2 + ASSUMED_CODES);
/** The requests that check the filters, once an hour. */
const REQUESTS_OF_CHECK = 5;
const SERIES = 2 + PRODUCT_TYPES.length * (2 + ASSUMED_CODES + REFUSAL_CLASSES.length);

export const requestLog: Collector<RequestLogOptions, CountingState> = {
  name: 'request_log',
  description: 'Requests and errors by class and code',
  endpoints: [LOG_ENDPOINT],
  families: Object.values(families),
  options: requestLogOptions,
  cost: (options, zone, now) => {
    const ofRun = REQUESTS_OF_WINDOW + Math.ceil(options.samples / PER_PAGE);
    const { max_requests_per_day: perDay } = options;
    const wanted = slotsPerDay(options.schedule, zone, now) * ofRun + (DAY / HOUR) * REQUESTS_OF_CHECK;
    // A window has at most an hour.
    const atLeast = (DAY / HOUR) * (ofRun + REQUESTS_OF_CHECK);
    return {
      requestsPerDay: Math.min(wanted, perDay),
      series: SERIES,
      assumptions: [`requests of each product type fail with ${ASSUMED_CODES} codes`],
      warnings: textIf(
        wanted > perDay,
        `counting at each slot of the schedule needs about ${wanted} requests a day, but max_requests_per_day is ${perDay}: longer times are counted at once, and later, and with fewer than about ${atLeast} some never`,
      ),
    };
  },
  // With one request a second, a usual run takes longer than the default.
  quietMs: () => 2 * MINUTE,
  open: openRequestLog,
  collect: (context, state) => withAbsenceAdvice('request_log', collectRequestLog(context, state)),
  // A run without a settled minute succeeds.
  hasData: async ({ name }, store) => (await store.requestLog.counters(name)).storedAt !== null,
  expose: exposeRequestLog,
};
