// Shows what bytes cost: what was spent of the budgets, and by product type.

import type { Cost } from '../answers.ts';
import { column, factList, orUnknown, quiet, table } from '../components.ts';
import { bytes, money, percent } from '../format.ts';
import { html, type Markup, type Value } from '../html.ts';

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
