// Shows the quotas of proxy users as bars, with the date on which they will be used up.

import type { Quota, User } from '../answers.ts';
import { badge, dateAndDistance, emptyCell, type Level, quiet, table } from '../components.ts';
import { bytes, percent } from '../format.ts';
import { html, type Markup, type Value } from '../html.ts';
import { FORECASTS } from './balance.ts';
import { bar } from './bar.ts';

export type ProductType = keyof User['quotas'];

type Row = Quota & Pick<User, 'proxy_user_id'>;

export const quotaTable = (users: readonly User[], type: ProductType, now: number): Markup =>
  table<Row>(
    `Quotas of proxy users, ${type}`,
    [
      { name: 'Proxy user', cell: ({ proxy_user_id: id }) => id },
      { name: 'State', cell: ({ state }) => stateBadge(state), kind: 'state' },
      { name: 'Used', cell: usedBar, kind: 'wide' },
      { name: 'Left', cell: ({ left_bytes: left }) => amount(left), kind: 'number' },
      { name: 'Limit', cell: ({ limit_bytes: limit }) => amount(limit), kind: 'number' },
      { name: 'Runs out', cell: (row) => runsOut(row, now) },
    ],
    users.map(({ proxy_user_id, quotas }) => ({ proxy_user_id, ...quotas[type] })),
  );

export const QUOTA_STATES: Readonly<Record<NonNullable<Quota['state']>, readonly [Level, string]>> = {
  exhausted: ['bad', 'Exhausted'],
  soon: ['fair', 'Used up soon'],
  low: ['fair', 'Low'],
  ok: ['good', 'OK'],
  unlimited: ['none', 'Unlimited'],
};

const stateBadge = (state: Quota['state']): Markup =>
  state === null ? badge('none', 'Unknown') : badge(...QUOTA_STATES[state]);

const usedBar = ({ used_bytes: used, used_ratio: ratio, state }: Row): Markup => {
  if (ratio === null) return html`${used === null ? quiet('unknown') : bytes(used)}`;
  const level = state === null ? 'none' : QUOTA_STATES[state][0];
  return html`<div class="bar-row">${bar(ratio, level)}<span class="bar-words">${percent(ratio)} <span class="quiet">${used === null ? '' : bytes(used)}</span></span></div>`;
};

const amount = (value: number | null): Value => (value === null ? emptyCell() : bytes(value));

const runsOut = ({ exhausted_at: at, forecast }: Row, now: number): Markup => {
  if (at !== null) return dateAndDistance(at, now);
  return quiet(forecast === null ? '–' : FORECASTS[forecast]);
};
