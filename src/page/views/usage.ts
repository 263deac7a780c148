// Shows the charged bytes by proxy user, host name or product type in a table.

import type { Usage, UsageSum } from '../answers.ts';
import { type Column, column, orUnknown, quiet, subjectLink, table } from '../components.ts';
import { bytes, count, money, percent } from '../format.ts';
import { html, type Markup, type Value } from '../html.ts';
import { chargedByLabel, costColumn } from './label-use.ts';
import { bar } from './uptime.ts';

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

const columnsOf = (by: UsageBy, rows: readonly UsageSum[]): Column<UsageSum>[] => {
  const largest = Math.max(...rows.map(({ share }) => share));
  return [
    column(USAGE_BY[by], (row) => nameOf(row, by)),
    column('Charged', (row) => orUnknown(row.charged_bytes, bytes), 'number'),
    column(
      'Share',
      ({ share }) =>
        html`<div class="bar-row">${bar(largest > 0 ? share / largest : 0, 'none')}<span class="bar-words">${percent(share)}</span></div>`,
      'wide',
    ),
    column('All bytes', (row) => (row.account === '' ? '' : orUnknown(row.bytes, bytes)), 'number'),
    column('Requests', (row) => (row.account === '' ? '' : orUnknown(row.requests, count)), 'number'),
  ];
};

const nameOf = ({ account, name }: UsageSum, by: UsageBy): Value => {
  if (account === '') return quiet(name);
  if (name === '') return quiet('not given');
  return by === 'user' ? subjectLink(account, 'user', name) : name;
};
