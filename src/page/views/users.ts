// Shows proxy users in a list: their quotas as bars, with the date on which they will be used up.

import type { Quota, User } from '../answers.ts';
import {
  badge,
  type Column,
  column,
  dateAndDistance,
  emptyCell,
  type Level,
  orDash,
  quiet,
  subjectLink,
  table,
} from '../components.ts';
import { bytes, percent } from '../format.ts';
import { html, type Markup, type Value } from '../html.ts';
import { earliest, FORECASTS, latest } from './balance.ts';
import { bar } from './uptime.ts';

export type ProductType = keyof User['quotas'];

interface Row extends Quota {
  /** What the row is about. */
  readonly name: Value;
}

/** Leaves out the limits, for which the overview has no room. */
export const quotaTable = (users: readonly User[], type: ProductType, now: number): Markup =>
  table<User>(
    `Quotas of proxy users, ${type}`,
    userColumns([type], now).filter(({ name }) => name !== 'Limit'),
    users,
  );

export const quotasOfUser = ({ proxy_user_id: id, quotas }: User, now: number): Markup =>
  table<Row>(
    `Quotas of the proxy user ${id}`,
    [
      column('Quota', ({ name }) => name),
      ...quotaColumns<Row>((row) => row, now),
      column('Expected pace', (quota) => pace(quota, now), 'number'),
      column('At the earliest', (quota) => orDash(earliest(quota, now))),
      column('At the latest', (quota) => orDash(latest(quota, now))),
    ],
    [
      { ...quotas.residential, name: 'Residential' },
      { ...quotas.mobile, name: 'Mobile' },
    ],
  );

const DAY_MS = 86_400_000;

/** Shows the average use until the bytes run out, if there is a forecast. */
const pace = ({ left_bytes: left, exhausted_at: at }: Quota, now: number): Value => {
  const aheadMs = at === null ? 0 : Date.parse(at) - now;
  if (left === null || aheadMs <= 0) return emptyCell();
  return html`${bytes((left / aheadMs) * DAY_MS)} ${quiet('a day')}`;
};

/** Returns the columns of a list of users, about one product type or, more briefly, about several. */
export const userColumns = (types: readonly ProductType[], now: number): Column<User>[] => [
  column('Proxy user', ({ account, proxy_user_id: id }) => subjectLink(account, 'user', id), 'text', 'id'),
  ...types.flatMap((type) => {
    const columns = quotaColumns<User>(({ quotas }) => quotas[type], now);
    if (types.length === 1) return columns;
    const brief = columns.filter(({ name }) => BRIEF.includes(name));
    return brief.map(({ name, cell, kind }) =>
      column(
        name === 'State' ? TYPE_NAMES[type] : `${name}, ${type}`,
        cell,
        kind === 'number' ? kind : 'text',
      ),
    );
  }),
];

/** A list about several product types has room for these columns only. */
const BRIEF: readonly string[] = ['State', 'Left', 'Runs out'];

const TYPE_NAMES: Readonly<Record<ProductType, string>> = { residential: 'Residential', mobile: 'Mobile' };

const quotaColumns = <T>(quotaOf: (item: T) => Quota, now: number): Column<T>[] => [
  column('State', (item) => stateBadge(quotaOf(item)), 'state', 'state'),
  column('Used of the limit', (item) => usedBar(quotaOf(item)), 'wide', '-used_ratio'),
  column('Left', (item) => orDash(quotaOf(item).left_bytes, bytes), 'number', 'left_bytes'),
  column('Limit', (item) => orDash(quotaOf(item).limit_bytes, bytes), 'number'),
  column('Runs out', (item) => runsOut(quotaOf(item), now), 'text', 'urgency'),
];

export const QUOTA_STATES: Readonly<Record<NonNullable<Quota['state']>, readonly [Level, string]>> = {
  exhausted: ['bad', 'Exhausted'],
  soon: ['fair', 'Used up soon'],
  low: ['fair', 'Low'],
  ok: ['good', 'OK'],
  unlimited: ['none', 'Unlimited'],
};

const stateBadge = (quota: Quota): Markup =>
  quota.state === null
    ? html`${badge('none', 'Unknown')} ${quiet(quota.used_bytes === null ? 'no use is known' : 'a limit of 0 can mean no limit')}`
    : badge(...QUOTA_STATES[quota.state]);

const usedBar = ({ used_bytes: used, used_ratio: ratio, state }: Quota): Markup => {
  if (ratio === null) return html`${used === null ? quiet('unknown') : bytes(used)}`;
  const level = state === null ? 'none' : QUOTA_STATES[state][0];
  return html`<div class="bar-row">${bar(ratio, level)}<span class="bar-words">${percent(ratio)} <span class="quiet">${used === null ? '' : bytes(used)}</span></span></div>`;
};

const runsOut = ({ exhausted_at: at, forecast }: Quota, now: number): Markup => {
  if (at !== null) return dateAndDistance(at, now);
  // The state says it already.
  if (forecast === 'used_up') return emptyCell();
  return quiet(forecast === null ? '–' : FORECASTS[forecast]);
};
