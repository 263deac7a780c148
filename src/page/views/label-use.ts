// Shows the use of proxy users by the values of the labels from their metadata.

import type { LabelShares } from '../answers.ts';
import { type Column, column, orUnknown, quiet, table } from '../components.ts';
import { bytes, count, percent } from '../format.ts';
import { html, type Markup, type Value } from '../html.ts';
import { bar } from './uptime.ts';

type Part = LabelShares['not_set'];
interface Row extends Part {
  readonly name: Value;
}

/** A table for each label. Its rows add up to the bytes of the account. */
export const labelTables = (labels: readonly LabelShares[]): Markup => html`${labels.map(labelTable)}`;

/** Returns the columns of use. The bars are scaled to the largest share of these rows. */
export const useColumns = <T extends Pick<Part, 'bytes' | 'share'>>(rows: readonly T[]): Column<T>[] => {
  const largest = Math.max(...rows.map(({ share }) => share));
  return [
    column('Residential', ({ bytes: used }) => orUnknown(used.residential, bytes), 'number'),
    column('Mobile', ({ bytes: used }) => orUnknown(used.mobile, bytes), 'number'),
    column(
      'Share of all users',
      ({ share }) =>
        html`<div class="bar-row">${bar(largest > 0 ? share / largest : 0, 'none')}<span class="bar-words">${percent(share)}</span></div>`,
      'wide',
    ),
  ];
};

const labelTable = (use: LabelShares): Markup => {
  const rows = rowsOf(use);
  return html`<h3>Use by ${use.label}</h3>${table<Row>(
    `Use by ${use.label}`,
    [
      column(use.label, ({ name }) => name),
      column('Users', ({ users }) => count(users), 'number'),
      ...useColumns(rows),
    ],
    rows,
  )}`;
};

/** “not set” is always shown, so that nobody takes the values for all users. */
const rowsOf = ({ values, others, not_set: notSet, unknown }: LabelShares): Row[] => [
  ...values.map((each) => ({ ...each, name: each.value })),
  ...(others.values > 0 ? [{ ...others, name: quiet(`and ${count(others.values)} more`) }] : []),
  { ...notSet, name: quiet('not set') },
  ...(unknown.users > 0 ? [{ ...unknown, name: quiet('unknown') }] : []),
];
