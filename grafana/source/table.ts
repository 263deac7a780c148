// Tables: a row for each set of labels, a column for each query.

import { TableSortByFieldStateBuilder } from '@grafana/grafana-foundation-sdk/common';
import type { DynamicConfigValue } from '@grafana/grafana-foundation-sdk/dashboard';
import { PromQueryFormat } from '@grafana/grafana-foundation-sdk/prometheus';
import { PanelBuilder } from '@grafana/grafana-foundation-sdk/table';
import { dress, type PanelOptions, query, type Steps, thresholdsOf } from './panel.ts';

export interface Column {
  /** Must leave the table's labels alone, so that the columns meet in one row. */
  readonly expr: string;
  readonly unit: string;
  readonly decimals?: number;
  readonly steps?: Steps;
}

interface TableOptions extends Omit<PanelOptions, 'unit'> {
  /** Headings by label. */
  readonly labels: Readonly<Record<string, string>>;
  /** By heading. */
  readonly columns: Readonly<Record<string, Column>>;
  /** Heading of the column that the rows are sorted by, and whether the largest comes first. */
  readonly sortBy?: readonly [heading: string, descending: boolean];
  /** The dashboard that an account's name leads to, by its uid. */
  readonly leadsTo?: string;
}

export const table = ({ labels, columns, sortBy, leadsTo, ...options }: TableOptions): PanelBuilder => {
  const entries = Object.entries(columns);
  const panel = dress(new PanelBuilder(), { unit: entries[0]?.[1].unit ?? 'none', noValue: '–', ...options });
  for (const [index, [heading, column]] of entries.entries()) {
    panel.withTarget(query(column.expr, index).instant().format(PromQueryFormat.Table));
    panel.overrideByName(heading, propertiesOf(column));
  }
  if (leadsTo !== undefined && labels.account !== undefined) {
    panel.overrideByName(labels.account, [{ id: 'links', value: [linkOf(leadsTo)] }]);
  }
  if (entries.length > 1) panel.withTransformation({ id: 'merge', options: {} });
  panel.withTransformation({ id: 'organize', options: organized(labels, Object.keys(columns)) });
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

/** Grafana calls the value of an only query `Value`, those of several `Value #A` and so on. */
const organized = (labels: TableOptions['labels'], headings: readonly string[]) => {
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
