// Builds tables with a row for each set of labels and a column for each query.

import { TableSortByFieldStateBuilder } from '@grafana/grafana-foundation-sdk/common';
import type { DynamicConfigValue } from '@grafana/grafana-foundation-sdk/dashboard';
import { PromQueryFormat } from '@grafana/grafana-foundation-sdk/prometheus';
import { PanelBuilder } from '@grafana/grafana-foundation-sdk/table';
import {
  accountLink,
  PAGE_PROPERTIES,
  statusPageProperties,
  subjectLink,
  type ViewLabel,
  withStatusPage,
} from './links.ts';
import { applyOptions, type PanelOptions, query, type Steps, thresholdsOf } from './panel.ts';

export interface Column {
  /** Must keep the table's labels, so that the columns are merged into one row. */
  readonly expr: string;
  readonly unit: string;
  readonly decimals?: number;
  readonly steps?: Steps;
}

interface TableOptions extends Omit<PanelOptions, 'unit'> {
  /** The headings of the labels. */
  readonly labels: Readonly<Record<string, string>>;
  /** The columns by heading. */
  readonly columns: Readonly<Record<string, Column>>;
  /** The heading of the column by which the rows are sorted, and whether the largest value comes first. */
  readonly sortBy?: readonly [heading: string, descending: boolean];
  /** The uid of the dashboard to which an account's name links. */
  readonly linkedDashboard?: string;
  /** The labels whose subjects the column *Status page* links to; empty for the account. Left out, there is no column. */
  readonly statusPage?: readonly ViewLabel[];
}

const STATUS_PAGE = 'Status page';

export const table = ({
  labels: ownLabels,
  columns,
  sortBy,
  linkedDashboard,
  statusPage,
  ...options
}: TableOptions): PanelBuilder => {
  const entries = Object.entries(columns);
  const labels = { ...ownLabels, ...(statusPage && { status_page: STATUS_PAGE }) };
  const panel = applyOptions(new PanelBuilder(), {
    unit: entries[0]?.[1].unit ?? 'none',
    noValue: '–',
    ...options,
  });
  for (const [index, [heading, column]] of entries.entries()) {
    // One query is enough, because Grafana merges the rows of all.
    const expr = statusPage && index === 0 ? withStatusPage(column.expr) : column.expr;
    panel.withTarget(query(expr, index).instant().format(PromQueryFormat.Table));
    panel.overrideByName(heading, [...propertiesOf(column), ...widthOf(heading)]);
  }
  for (const [label, heading] of Object.entries(labels)) {
    const isLinked = label === 'account' && linkedDashboard !== undefined;
    const properties = [
      ...widthOf(heading),
      ...(isLinked ? [accountLink(linkedDashboard)] : subjectLink(label, ownLabels.account)),
      ...(PAGE_PROPERTIES[label] ?? []),
    ];
    if (properties.length > 0) panel.overrideByName(heading, properties);
  }
  if (statusPage) panel.overrideByName(STATUS_PAGE, statusPageProperties(statusPage, ownLabels));
  if (entries.length > 1) panel.withTransformation({ id: 'merge', options: {} });
  panel.withTransformation({ id: 'organize', options: organizeOptions(labels, Object.keys(columns)) });
  if (sortBy) {
    const [heading, descending] = sortBy;
    panel.sortBy([new TableSortByFieldStateBuilder().displayName(heading).desc(descending)]);
  }
  return panel;
};

const propertiesOf = ({ unit, decimals, steps }: Column): DynamicConfigValue[] => [
  { id: 'unit', value: unit },
  ...(decimals === undefined ? [] : [{ id: 'decimals', value: decimals }]),
  ...(steps === undefined
    ? []
    : [
        { id: 'thresholds', value: thresholdsOf(steps).build() },
        { id: 'custom.cellOptions', value: { type: 'color-text' } },
      ]),
];

/** Grafana's narrowest columns (150 px) cut off headings of more than 15 letters. */
const widthOf = (heading: string): DynamicConfigValue[] =>
  heading.length > 15 ? [{ id: 'custom.minWidth', value: 40 + 9 * heading.length }] : [];

/** Renames the value columns: Grafana calls them `Value` for a single query, `Value #A` and so on for several. */
const organizeOptions = (labels: TableOptions['labels'], headings: readonly string[]) => {
  const values = headings.map((heading, index) => [
    headings.length === 1 ? 'Value' : `Value #${String.fromCharCode('A'.charCodeAt(0) + index)}`,
    heading,
  ]);
  const renamed = [...Object.entries(labels), ...values];
  return {
    excludeByName: { Time: true },
    indexByName: Object.fromEntries(renamed.map(([name], index) => [name, index])),
    renameByName: Object.fromEntries(renamed),
  };
};
