// Serves GET /api/v1/request-errors: why requests failed, and what failed requests cost.

import { z } from 'zod';
import { textOfClass } from '../../collectors/request-log/classes.ts';
import { marginOf } from '../../collectors/request-log/estimates.ts';
import { REFUSAL_CLASSES } from '../../lib/refusal-codes.ts';
import { DAY, HOUR, SECOND } from '../../lib/time.ts';
import { ERROR_KEYS, type ErrorSum, type ErrorSums } from '../../store/request-log-store.ts';
import { account, orNull, rfc3339, time, count as wholeNumber } from './item.ts';
import * as parameters from './parameters.ts';
import { ApiError, accountWithCollector, revisionOfParts, route, selectedAccounts } from './route.ts';

const estimated = {
  errors: orNull.amount.describe('Failed requests'),
  errors_margin: orNull.amount.describe(
    'The true number differs by at most this, with a probability of 95 %. 0 if all were counted or read; null if some were neither',
  ),
  bytes: orNull.amount.describe('Bytes of these requests, estimated from those that were read'),
};

export const requestErrorSum = z
  .strictObject({
    account,
    name: orNull.text.describe(
      'The class, code, user, host name or product type. Empty if the provider does not say it; null for those that were not among the 20 with the most of an hour',
    ),
    class: orNull.text,
    meaning: orNull.text.describe('Why the requests failed'),
    advice: orNull.text.describe('What to do first'),
    ...estimated,
    share: orNull.ratio.describe('Share of all requests'),
  })
  .meta({ id: 'RequestErrorSum' });

const requestErrorsOfAccount = z
  .strictObject({
    account,
    from: time,
    to: time,
    counted_to: orNull.time.describe('End of the newest counted minute'),
    counted_seconds: wholeNumber.describe('Part of the time whose requests were counted'),
    requests: orNull.count,
    ...estimated,
    sampled_errors: orNull.amount.describe(
      'How many of the errors the users, host names and bytes are about',
    ),
    others: wholeNumber.describe('How many more names there are'),
  })
  .meta({ id: 'RequestErrorsOfAccount' });

export const requestErrors = z
  .strictObject({
    accounts: z.array(requestErrorsOfAccount),
    data: z.array(requestErrorSum).describe('Those with the most errors first'),
  })
  .meta({ id: 'RequestErrors' });

/** An hour has rows of up to 20 users and host names for each class. */
const LONGEST_RANGE = 31 * DAY;

const rounded = (value: number | null): number | null => (value === null ? null : Math.round(value));

const estimatedJson = ({ errors, errorsVariance, bytes }: Omit<ErrorSum, 'name' | 'class'>) => ({
  ...{ errors: rounded(errors), errors_margin: rounded(marginOf(errorsVariance)), bytes: rounded(bytes) },
});

const sumJson = (name: string, sum: ErrorSum, requests: number) => {
  const { meaning = null, advice = null } = sum.class === null ? {} : textOfClass(sum.class);
  return {
    ...{ account: name, name: sum.name, class: sum.class, meaning, advice },
    ...estimatedJson(sum),
    share: requests > 0 && sum.errorsVariance !== null ? sum.errors / requests : null,
  };
};

const accountJson = (
  name: string,
  { from, to }: parameters.TimeRange,
  countedTo: number | undefined,
  { others, ...sums }: ErrorSums,
) => {
  const isCounted = sums.countedMs > 0;
  const { errors, ...estimates } = estimatedJson({ ...sums, errorsVariance: 0 });
  return {
    ...{ account: name, from: rfc3339(from), to: rfc3339(to), counted_to: rfc3339(countedTo ?? null) },
    counted_seconds: sums.countedMs / SECOND,
    requests: isCounted ? sums.requests : null,
    errors: isCounted ? errors : null,
    ...estimates,
    sampled_errors: isCounted ? rounded(sums.sampledErrors) : null,
    others,
  };
};

export const REQUEST_ERRORS_ROUTE = route({
  path: '/api/v1/request-errors',
  collector: 'request_log',
  summary: 'Failed requests by class, code, product type, proxy user or host name, the most first',
  query: {
    account: parameters.account,
    from: parameters.time.describe('Start; whole hours. The default is 24 hours before `to`'),
    to: parameters.time.describe('End; whole hours. The default is now'),
    by: parameters
      .oneOf(ERROR_KEYS)
      .default('class')
      .describe('What the sums are by. Users and host names are estimated from samples'),
    class: parameters.oneOf(REFUSAL_CLASSES).optional().describe('Only errors of this class'),
    limit: parameters.limit.describe('Number of sums of each account'),
  },
  answer: requestErrors,
  csv: { item: requestErrorSum, itemsOf: ({ data }) => data },
  revision: revisionOfParts(['requestLog'], HOUR),
  read: async ({ view, query }) => {
    const accounts: z.output<typeof requestErrorsOfAccount>[] = [];
    const data: z.output<typeof requestErrorSum>[] = [];
    for (const name of selectedAccounts(query.account, view)) {
      const found = accountWithCollector(view, name, 'request_log');
      if (!found) continue;
      const { requestLog } = found.store;
      const requested = parameters.timeRangeOf(query, found.clock.now(), DAY);
      const to = Math.ceil(requested.to / HOUR) * HOUR;
      const range = { from: query.from ? Math.floor(requested.from / HOUR) * HOUR : to - DAY, to };
      if (range.to - range.from > LONGEST_RANGE)
        throw new ApiError(400, `from: expected at most ${LONGEST_RANGE / DAY} days before to`);
      const { by, class: refusal, limit } = query;
      const sums = await requestLog.sums(name, { ...range, by, class: refusal, limit });
      accounts.push(accountJson(name, range, (await requestLog.state(name))?.countedTo, sums));
      data.push(...sums.sums.map((sum) => sumJson(name, sum, sums.requests)));
    }
    return { accounts, data };
  },
});
