// Shows what bytes cost: what was spent of budgets and by type, and the charged bytes by user, host name or type.

import type { Cost, Usage, UsageSum } from '../answers.ts';
import { type Column, column, factList, orUnknown, quiet, subjectLink, table } from '../components.ts';
import { bytes, count, money, percent } from '../format.ts';
import { html, type Markup, type Value } from '../html.ts';
import { chargedByLabel, costColumn, shareColumn } from './label-use.ts';

const PERIODS = { day: 'Today', week: 'This week', month: 'This month' } as const;
type PeriodName = keyof typeof PERIODS;
type TypeCost = Cost['product_types'][number];

export const costView = (cost: Cost | undefined): Markup => {
  if (!cost) return html``;
  const spent = Object.entries(PERIODS).map(
    ([period, name]) => [name, spentIn(cost, period as PeriodName)] as const,
  );
  return html`${factList({
    ...Object.fromEntries(spent),
    'Expected for the month': orUnknown(cost.month_forecast, (cents) => money(cents, cost.currency)),
  })}${typeTable(cost)}
<p class="quiet">The amounts are the used bytes at the prices of the configuration, rounded to a hundredth of ${cost.currency}. They are not an invoice.</p>`;
};

const spentIn = ({ spend, budget, currency }: Cost, period: PeriodName): Value => {
  const [spent, most] = [spend[period], budget[period]];
  if (spent === null || most === null) return orUnknown(spent, (cents) => money(cents, currency));
  const share = `${percent(spent / most)} of ${money(most, currency)}`;
  return html`${money(spent, currency)} ${spent > most ? html`<strong>${share}</strong>` : quiet(share)}`;
};

const typeTable = ({ product_types: types, currency }: Cost): Markup => {
  const amount = (cents: number | null): Value => orUnknown(cents, (known) => money(known, currency));
  return table<TypeCost>(
    'Cost by product type',
    [
      column(
        'Product type',
        ({ product_type: type, ...of }) => html`${type} ${quiet(priceOrReason(of, currency))}`,
      ),
      column('This month', ({ spend }) => amount(spend.month), 'number'),
      column('Used a day', ({ bytes_per_day: used }) => orUnknown(used, bytes), 'number'),
      column('Cost a day', ({ cost_per_day: cost }) => amount(cost), 'number'),
      column('Left', ({ left_bytes: left }) => orUnknown(left, bytes), 'number'),
      column('Its value', ({ left_value: value }) => amount(value), 'number'),
    ],
    types,
  );
};

/** Says the price, or what is missing. */
const priceOrReason = (
  { price, per, read_at: at }: Pick<TypeCost, 'price' | 'per' | 'read_at'>,
  currency: string,
): string => {
  if (at === null) return 'used bytes not read completely';
  return price === null ? 'no purchase in the ledger shows the tier' : `${money(price, currency)} per ${per}`;
};

/** What the sums are by, with the heading of their names. */
export const USAGE_BY = { user: 'Proxy user', hostname: 'Host name', network: 'Product type' } as const;
export type UsageBy = keyof typeof USAGE_BY;

export const usageTable = ({ accounts: [whole], data, labels }: Usage, by: UsageBy): Markup => {
  if (!whole) return html``;
  const { currency } = whole;
  const rows = [...data, ...(whole.others > 0 ? [othersOf(whole)] : [])];
  const cost =
    whole.cost === null
      ? ''
      : ` Residential and mobile data cost ${money(whole.cost, currency)} at the present prices.`;
  const columns = [...columnsOf(by, rows), ...costColumn<UsageSum>(rows, currency)];
  return html`<p>${orUnknown(whole.charged_bytes, bytes)} charged of ${orUnknown(whole.bytes, bytes)} from ${whole.from} to ${whole.to}.${cost}</p>
${table(`Charged bytes by ${USAGE_BY[by].toLowerCase()}`, columns, rows)}${chargedByLabel(labels, currency)}`;
};

const othersOf = (whole: Usage['accounts'][number]): UsageSum => ({
  account: '',
  name: `${count(whole.others)} more`,
  ...{ charged_bytes: whole.others_charged_bytes, bytes: null, charged_requests: null, requests: null },
  cost: whole.others_cost,
  share: whole.charged_bytes ? (whole.others_charged_bytes ?? 0) / whole.charged_bytes : 0,
});

const columnsOf = (by: UsageBy, rows: readonly UsageSum[]): Column<UsageSum>[] => [
  column(USAGE_BY[by], (row) => nameOf(row, by)),
  column('Charged', (row) => orUnknown(row.charged_bytes, bytes), 'number'),
  shareColumn('Share', rows),
  column('All bytes', (row) => (row.account === '' ? '' : orUnknown(row.bytes, bytes)), 'number'),
  column('Requests', (row) => (row.account === '' ? '' : orUnknown(row.requests, count)), 'number'),
];

const nameOf = ({ account, name }: UsageSum, by: UsageBy): Value => {
  if (account === '') return quiet(name);
  if (name === '') return quiet('not given');
  return by === 'user' ? subjectLink(account, 'user', name) : name;
};
