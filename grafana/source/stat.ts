// Builds panels with current numbers. They use instant queries, because the last value of a graph may be hours old.

import {
  BigValueColorMode,
  BigValueGraphMode,
  BigValueTextMode,
  ReduceDataOptionsBuilder,
} from '@grafana/grafana-foundation-sdk/common';
import { PanelBuilder } from '@grafana/grafana-foundation-sdk/stat';
import { applyOptions, type PanelOptions, type Queries, query } from './panel.ts';

interface StatOptions extends PanelOptions {
  /** Each query gives one number, or several if its legend names a label. */
  readonly queries: Queries;
}

export const stat = ({ queries, ...options }: StatOptions): PanelBuilder => {
  const entries = Object.entries(queries);
  const isNamed = entries.length > 1 || entries.some(([legend]) => legend.includes('{{'));
  const panel = applyOptions(new PanelBuilder(), { height: 4, ...options })
    .colorMode(BigValueColorMode.Value)
    .graphMode(BigValueGraphMode.None)
    .textMode(isNamed ? BigValueTextMode.ValueAndName : BigValueTextMode.Value)
    .reduceOptions(new ReduceDataOptionsBuilder().calcs(['lastNotNull']));
  for (const [index, [legend, expression]] of entries.entries()) {
    panel.withTarget(query(expression, index).legendFormat(legend).instant());
  }
  return panel;
};
