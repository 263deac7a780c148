// Shows the use of proxy users, and services, by the values of the labels from their metadata.

import type { LabelShares, LabelUsage, ServiceLabel } from '../answers.ts';
import { type Column, column, orUnknown, quiet, table } from '../components.ts';
import { bytes, count, money, percent } from '../format.ts';
import { html, type Markup, type Value } from '../html.ts';
import { bar } from './uptime.ts';

/** A table for each label. Its rows add up to the bytes of the account. */
export const labelTables = (labels: readonly LabelShares[]): Markup =>
  html`${labels.map((use) => {
    const rows = rowsOf<Use>(use, ({ users }) => users);
    const users = column<Use>('Users', ({ users }) => count(users), 'number');
    return labelTable(`Use by ${use.label}`, use.label, rows, [users, ...useColumns(rows)]);
  })}`;

export const useColumns = <T extends Pick<Use, 'bytes' | 'share'>>(rows: readonly T[]): Column<T>[] => [
  column('Residential', ({ bytes: used }) => orUnknown(used.residential, bytes), 'number'),
  column('Mobile', ({ bytes: used }) => orUnknown(used.mobile, bytes), 'number'),
  shareColumn('Share of all users', rows),
];

/** The bars are scaled to the largest share of these rows. */
export const shareColumn = <T extends { readonly share: number }>(
  name: string,
  rows: readonly T[],
): Column<T> => {
  const largest = Math.max(...rows.map(({ share }) => share));
  const cell = ({ share }: T): Markup =>
    html`<div class="bar-row">${bar(largest > 0 ? share / largest : 0, 'none')}<span class="bar-words">${percent(share)}</span></div>`;
  return column(name, cell, 'wide');
};

/** A table for each label. Its rows add up to the charged bytes of the account. */
export const chargedByLabel = (labels: readonly LabelUsage[], currency: string): Markup =>
  html`${labels.map((use) => {
    const rows = rowsOf<LabelUsage['not_set']>(use, ({ users }) => users);
    return labelTable(`Charged bytes by ${use.label}`, use.label, rows, [
      column('Users', ({ users }) => count(users), 'number'),
      column('Charged', ({ charged_bytes: charged }) => orUnknown(charged, bytes), 'number'),
      ...costColumn(rows, currency),
    ]);
  })}`;

/** Without prices, there is no column. */
export const costColumn = <T extends { readonly cost: number | null }>(
  rows: readonly T[],
  currency: string,
): Column<T>[] =>
  rows.some(({ cost }) => cost !== null)
    ? [column<T>('Cost', ({ cost }) => orUnknown(cost, (cents) => money(cents, currency)), 'number')]
    : [];

/** A table for each label. Its rows add up to the services that are not over. */
export const serviceLabelTables = (labels: readonly ServiceLabel[]): Markup =>
  html`${labels.map((part) =>
    labelTable<Services>(
      `Services by ${part.label}`,
      part.label,
      rowsOf<Services>(part, ({ services }) => services),
      [
        column('Services', ({ services }) => count(services), 'number'),
        column('Proxies in use', proxiesInUse, 'number'),
      ],
    ),
  )}`;

/** Says of how many services the proxies are unknown, because they are in no sum. */
const proxiesInUse = ({ bought_proxies: bought, uncounted_services: unknown, ...part }: Services): Value => {
  const sums = bought > 0 || part.proxies_in_use > 0;
  const known = sums ? `${count(part.proxies_in_use)} of ${count(bought)}` : null;
  if (unknown === 0) return known ?? quiet('–');
  return html`${known}${known && ', '}${quiet(`${count(unknown)} ${unknown === 1 ? 'service' : 'services'} unknown`)}`;
};

type Use = LabelShares['not_set'];
type Services = ServiceLabel['not_set'];

type Named<T> = T & { readonly name: Value };

const labelTable = <T>(
  caption: string,
  label: string,
  rows: readonly Named<T>[],
  columns: readonly Column<T>[],
): Markup =>
  html`<h3>${caption}</h3>${table<Named<T>>(caption, [column(label, ({ name }) => name), ...columns], rows)}`;

interface Parts<T> {
  readonly values: readonly (T & { readonly value: string })[];
  readonly others: T & { readonly values: number };
  readonly not_set: T;
  readonly unknown: T;
}

/** “not set” is always shown, so that nobody takes the values for the whole. */
const rowsOf = <T>(
  { values, others, not_set: notSet, unknown }: Parts<T>,
  subjectsOf: (part: T) => number,
): Named<T>[] => [
  ...values.map((each) => ({ ...each, name: each.value })),
  ...(others.values > 0 ? [{ ...others, name: quiet(`and ${count(others.values)} more`) }] : []),
  { ...notSet, name: quiet('not set') },
  ...(subjectsOf(unknown) > 0 ? [{ ...unknown, name: quiet('unknown') }] : []),
];
