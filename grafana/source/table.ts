// Builds tables with a row for each set of labels and a column for each query.

import { TableSortByFieldStateBuilder } from '@grafana/grafana-foundation-sdk/common';
import type { DynamicConfigValue } from '@grafana/grafana-foundation-sdk/dashboard';
import { PromQueryFormat } from '@grafana/grafana-foundation-sdk/prometheus';
import { PanelBuilder } from '@grafana/grafana-foundation-sdk/table';
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
}

export const table = ({
  labels,
  columns,
  sortBy,
  linkedDashboard,
  ...options
}: TableOptions): PanelBuilder => {
  const entries = Object.entries(columns);
  const panel = applyOptions(new PanelBuilder(), {
    unit: entries[0]?.[1].unit ?? 'none',
    noValue: '–',
    ...options,
  });
  for (const [index, [heading, column]] of entries.entries()) {
    panel.withTarget(query(column.expr, index).instant().format(PromQueryFormat.Table));
    panel.overrideByName(heading, propertiesOf(column));
  }
  if (linkedDashboard !== undefined && labels.account !== undefined) {
    panel.overrideByName(labels.account, [{ id: 'links', value: [linkOf(linkedDashboard)] }]);
  }
  if (entries.length > 1) panel.withTransformation({ id: 'merge', options: {} });
  panel.withTransformation({ id: 'organize', options: organizeOptions(labels, Object.keys(columns)) });
  if (sortBy) {
    const [heading, descending] = sortBy;
    panel.sortBy([new TableSortByFieldStateBuilder().displayName(heading).desc(descending)]);
  }
  return panel;
};

const linkOf = (uid: string) => ({
  title: 'Show',
  url: `/d/${uid}?var-account=\${__value.text}&var-datasource=\${datasource}&\${__url_time_range}`,
});

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
