// Serves GET /api/v1/usage: what proxy users used of host names, what is charged, and its cost by labels of the users.

import { z } from 'zod';
import { hasTiers } from '../../collectors/prices/options.ts';
import { LabelSums } from '../../lib/label-parts.ts';
import {
  type ChargedBytes,
  dateOf,
  dayOf,
  USE_KEYS,
  type UseDay,
  type UseKey,
  type UseSum,
  type UseSums,
} from '../../store/log-summary-store.ts';
import type { StorePart } from '../../store/store.ts';
import type { AccountView, DaemonView } from '../daemon-view.ts';
import { type CostOf, costOfCharged, readCostOf } from './cost.ts';
import { account, count, currency, date, orNull, ratio, rfc3339, text } from './item.ts';
import { labelPartsJson, labelPartsOf } from './label-parts.ts';
import * as parameters from './parameters.ts';
import { accountWithCollector, route, selectedAccounts } from './route.ts';

const amounts = { users: count, charged_bytes: orNull.count, cost: costOfCharged };
const labelUsage = labelPartsOf(amounts, { subjects: 'Users', most: 'charged bytes' }).meta({
  id: 'LabelUsage',
});

const labelsOfUsers = ({ settings, userOptions }: AccountView): readonly string[] =>
  settings.proxy_users ? userOptions.labels_from_metadata : [];

const SLICE_USERS = 1_000;

/** Splits the charged bytes of these users. */
const readLabelUsage = async (
  found: AccountView,
  users: readonly UseSum[],
  costOf: CostOf,
): Promise<z.output<typeof labelUsage>[]> => {
  const { name } = found.settings;
  const parts = labelsOfUsers(found).map((label) => new LabelSums(label, AMOUNTS));
  for (let start = 0; start < users.length; start += SLICE_USERS) {
    const slice = users.slice(start, start + SLICE_USERS);
    const ids = slice.map(({ key }) => String(key));
    const details = await found.store.users.details(name, ids);
    for (const { key, values, charged } of slice)
      for (const part of parts)
        part.add({ users: 1, bytes: values[2] ?? null, charged }, details.get(String(key))?.metadata);
  }
  return parts.map((part) =>
    labelPartsJson(name, part.result(), ({ users: number, bytes, charged }) => ({
      ...{ users: number, charged_bytes: bytes, cost: costOf(charged) },
    })),
  );
};

interface ChargedUsers {
  readonly users: number;
  readonly bytes: number | null;
  readonly charged: ChargedBytes;
}

const sumOf = (one: number | null, other: number | null): number | null =>
  one === null ? other : one + (other ?? 0);

const AMOUNTS = {
  none: { users: 0, bytes: null, charged: { residential: null, mobile: null } },
  sum: (one: ChargedUsers, other: ChargedUsers): ChargedUsers => ({
    users: one.users + other.users,
    bytes: sumOf(one.bytes, other.bytes),
    charged: {
      residential: sumOf(one.charged.residential, other.charged.residential),
      mobile: sumOf(one.charged.mobile, other.charged.mobile),
    },
  }),
  sizeOf: ({ bytes }: ChargedUsers) => bytes ?? 0,
};

const values = {
  charged_bytes: orNull.count,
  bytes: orNull.count,
  charged_requests: orNull.count,
  requests: orNull.count,
  cost: costOfCharged,
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
    currency,
    from: date,
    to: date,
    read_from: orNull.text.describe('First day with rows in the store'),
    read_at: orNull.time.describe('When the newest complete reading of the last day began'),
    ...values,
    others: count.describe('How many more names there are'),
    others_charged_bytes: orNull.count.describe('Their charged bytes'),
    others_cost: orNull.amount.describe('Their cost'),
  })
  .meta({ id: 'UsageOfAccount' });

export const usage = z
  .strictObject({
    accounts: z.array(usageOfAccount),
    data: z.array(usageSum).describe('Those with the most charged bytes first'),
    labels: z
      .array(labelUsage)
      .describe(
        'With `by=user`: charged bytes by each label of `proxy_users.labels_from_metadata`. The parts of a label add up to the account’s',
      ),
  })
  .meta({ id: 'Usage' });

const valuesJson = (sum: Omit<UseSum, 'key'> | null, costOf: CostOf) => {
  const [bytes = null, requests = null, charged_bytes = null, charged_requests = null] = sum?.values ?? [];
  return { charged_bytes, bytes, charged_requests, requests, cost: costOf(sum?.charged) };
};

const dataOf = (name: string, { sums, total }: UseSums, costOf: CostOf) =>
  sums.map((sum) => ({
    account: name,
    name: typeof sum.key === 'number' ? dateOf(sum.key) : sum.key,
    ...valuesJson(sum, costOf),
    share: total?.values[2] ? (sum.values[2] ?? 0) / total.values[2] : 0,
  }));

const accountJson = (
  { name, currency: unit }: AccountView['settings'],
  range: parameters.DateRange,
  days: readonly UseDay[],
  { total, others, rest }: UseSums,
  costOf: CostOf,
) => ({
  ...{ account: name, currency: unit, ...range },
  read_from: firstDayOf(days),
  read_at: rfc3339(days.find(({ day }) => day === dayOf(range.to))?.readAt || null),
  ...valuesJson(total, costOf),
  others,
  others_charged_bytes: rest?.values[2] ?? null,
  others_cost: costOf(rest?.charged),
});

const firstDayOf = (days: readonly UseDay[]): string | null => {
  const first = days.find(({ rows, isDeleted }) => rows > 0 && !isDeleted);
  return first ? dateOf(first.day) : null;
};

/** Prices by tiers change with the ledger, and labels with the users. */
const partsOf = (view: DaemonView, { account, by }: { account: readonly string[]; by: UseKey }) => {
  const found = selectedAccounts(account, view)
    .map((name) => view.account(name))
    .filter((each) => each !== undefined);
  const parts: StorePart[] = ['logSummaries'];
  if (found.some(({ settings }) => settings.prices && hasTiers(settings.prices))) parts.push('ledgers');
  if (by === 'user' && found.some((each) => labelsOfUsers(each).length > 0)) parts.push('users');
  return parts;
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
  revision: (view, { query }) => view.revision(partsOf(view, query)),
  read: async ({ view, query }) => {
    parameters.checkDates(query);
    const answer: z.output<typeof usage> = { accounts: [], data: [], labels: [] };
    for (const name of selectedAccounts(query.account, view)) {
      const found = accountWithCollector(view, name, 'usage');
      if (!found) continue;
      const range = parameters.dateRangeOf(query, found);
      const { by, user, network, hostname, limit } = query;
      const { logSummaries } = found.store;
      const asked = { from: dayOf(range.from), to: dayOf(range.to), by, user, network, hostname };
      const users: UseSum[] = [];
      const visit =
        by === 'user' && labelsOfUsers(found).length > 0 ? (sum: UseSum) => users.push(sum) : undefined;
      const sums = await logSummaries.sums(name, { ...asked, limit }, visit);
      const costOf = await readCostOf(found);
      const days = await logSummaries.days(name);
      answer.accounts.push(accountJson(found.settings, range, days, sums, costOf));
      answer.data.push(...dataOf(name, sums, costOf));
      if (visit) answer.labels.push(...(await readLabelUsage(found, users, costOf)));
    }
    return answer;
  },
});
