// A number of now. It has no history behind it: the last value of a graph may be hours old, this one is not.

import {
  BigValueColorMode,
  BigValueGraphMode,
  BigValueTextMode,
  ReduceDataOptionsBuilder,
} from '@grafana/grafana-foundation-sdk/common';
import { PanelBuilder } from '@grafana/grafana-foundation-sdk/stat';
import { dress, type PanelOptions, type Queries, query } from './panel.ts';

interface StatOptions extends PanelOptions {
  /** One number each, or several where a legend names a label. */
  readonly queries: Queries;
}

export const stat = ({ queries, ...options }: StatOptions): PanelBuilder => {
  const entries = Object.entries(queries);
  const isNamed = entries.length > 1 || entries.some(([legend]) => legend.includes('{{'));
  const panel = dress(new PanelBuilder(), { height: 4, ...options })
    .colorMode(BigValueColorMode.Value)
    .graphMode(BigValueGraphMode.None)
    .textMode(isNamed ? BigValueTextMode.ValueAndName : BigValueTextMode.Value)
    .reduceOptions(new ReduceDataOptionsBuilder().calcs(['lastNotNull']));
  for (const [index, [legend, expression]] of entries.entries()) {
    panel.withTarget(query(expression, index).legendFormat(legend).instant());
  }
  return panel;
};
