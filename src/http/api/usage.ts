// Serves GET /api/v1/usage: what proxy users used of host names, and what of it the provider charges.

import { z } from 'zod';
import { dateOf, dayOf, USE_KEYS, type UseDay, type UseSums } from '../../store/log-summary-store.ts';
import type { UseValues } from '../../store/summarised-names.ts';
import { account, date, orNull, ratio, rfc3339, text, count as wholeNumber } from './item.ts';
import * as parameters from './parameters.ts';
import { accountWithCollector, revisionOfParts, route, selectedAccounts } from './route.ts';

const values = {
  charged_bytes: orNull.count,
  bytes: orNull.count,
  charged_requests: orNull.count,
  requests: orNull.count,
};

export const usageSum = z
  .strictObject({
    account,
    name: text.describe(
      'The user, product type, host name or date. Empty if the provider does not say it, or has dropped it',
    ),
    ...values,
    share: ratio.describe('Share of the charged bytes of the account in this time'),
  })
  .meta({ id: 'UsageSum' });

const usageOfAccount = z
  .strictObject({
    account,
    from: date,
    to: date,
    read_from: orNull.text.describe('First day with rows in the store'),
    read_at: orNull.time.describe('When the newest complete reading of the last day began'),
    ...values,
    others: wholeNumber.describe('How many more names there are'),
    others_charged_bytes: orNull.count.describe('Their charged bytes'),
  })
  .meta({ id: 'UsageOfAccount' });

export const usage = z
  .strictObject({
    accounts: z.array(usageOfAccount),
    data: z.array(usageSum).describe('Those with the most charged bytes first'),
  })
  .meta({ id: 'Usage' });

const valuesJson = (of: UseValues | null) => {
  const [bytes = null, requests = null, charged_bytes = null, charged_requests = null] = of ?? [];
  return { charged_bytes, bytes, charged_requests, requests };
};

const dataOf = (name: string, { sums, total }: UseSums) =>
  sums.map(({ key, values: of }) => ({
    account: name,
    name: typeof key === 'number' ? dateOf(key) : key,
    ...valuesJson(of),
    share: total?.[2] ? (of[2] ?? 0) / total[2] : 0,
  }));

const accountJson = (
  name: string,
  range: parameters.DateRange,
  days: readonly UseDay[],
  { total, others, othersValues }: UseSums,
) => ({
  ...{ account: name, ...range },
  read_from: firstDayOf(days),
  read_at: rfc3339(days.find(({ day }) => day === dayOf(range.to))?.readAt || null),
  ...valuesJson(total),
  others,
  others_charged_bytes: othersValues?.[2] ?? null,
});

const firstDayOf = (days: readonly UseDay[]): string | null => {
  const first = days.find(({ rows, isDeleted }) => rows > 0 && !isDeleted);
  return first ? dateOf(first.day) : null;
};

const one = parameters.singleText;

export const USAGE_ROUTE = route({
  path: '/api/v1/usage',
  collector: 'usage',
  summary: 'Charged and total use by proxy user, host name, product type or day, the largest first',
  query: {
    account: parameters.account,
    ...parameters.dateQuery,
    by: parameters
      .oneOf(USE_KEYS)
      .default('hostname')
      .describe('What the sums are by. `network` is the product type'),
    user: one.describe('Only this proxy user'),
    network: one.describe('Only this product type'),
    hostname: one.describe('Only this host name'),
    limit: parameters.limit.describe('Number of sums of each account'),
  },
  answer: usage,
  csv: { item: usageSum, itemsOf: ({ data }) => data },
  revision: revisionOfParts(['logSummaries']),
  read: async ({ view, query }) => {
    parameters.checkDates(query);
    const [accounts, data]: [z.output<typeof usageOfAccount>[], z.output<typeof usageSum>[]] = [[], []];
    for (const name of selectedAccounts(query.account, view)) {
      const found = accountWithCollector(view, name, 'usage');
      if (!found) continue;
      const range = parameters.dateRangeOf(query, found);
      const { by, user, network, hostname, limit } = query;
      const { logSummaries } = found.store;
      const sums = await logSummaries.sums(name, {
        ...{ from: dayOf(range.from), to: dayOf(range.to), by, limit },
        ...{ user, network, hostname },
      });
      accounts.push(accountJson(name, range, await logSummaries.days(name), sums));
      data.push(...dataOf(name, sums));
    }
    return { accounts, data };
  },
});
