// Builds panels of values over time: lines, bars of growth per interval, and states.

import {
  GraphDrawStyle,
  LegendDisplayMode,
  LegendPlacement,
  SortOrder,
  StackingConfigBuilder,
  StackingMode,
  TooltipDisplayMode,
  VisibilityMode,
  VizLegendOptionsBuilder,
  VizTooltipOptionsBuilder,
} from '@grafana/grafana-foundation-sdk/common';
import { FieldColorBuilder, FieldColorModeId } from '@grafana/grafana-foundation-sdk/dashboard';
import { PanelBuilder as StatesBuilder } from '@grafana/grafana-foundation-sdk/statetimeline';
import { PanelBuilder } from '@grafana/grafana-foundation-sdk/timeseries';
import { alertThreshold } from './alerts.ts';
import { applyOptions, type PanelOptions, type Queries, query } from './panel.ts';

interface GraphOptions extends PanelOptions {
  readonly queries: Queries;
  readonly stacked?: boolean;
  /** The alert whose configured threshold is drawn as a line. */
  readonly alert?: string;
  /** How the legend's table summarizes each line. */
  readonly calcs?: readonly string[];
}

/** A narrow panel has fewer summaries, so that its legend has room for the names. */
const summariesFor = (width: number): readonly string[] =>
  width < 8 ? ['lastNotNull'] : width < 12 ? ['lastNotNull', 'max'] : ['lastNotNull', 'mean', 'max'];

const THRESHOLD_LEGEND = 'threshold {{account}}';

export const graph = ({ queries, stacked = false, alert, calcs, ...options }: GraphOptions): PanelBuilder => {
  const panel = applyOptions(new PanelBuilder(), options)
    .axisSoftMin(0)
    .lineWidth(1)
    .fillOpacity(stacked ? 30 : 10)
    .showPoints(VisibilityMode.Never)
    .legend(legendOf(calcs ?? summariesFor(options.width)))
    .tooltip(multiTooltip());
  if (stacked) panel.stacking(new StackingConfigBuilder().mode(StackingMode.Normal).group('A'));
  const allQueries =
    alert === undefined ? queries : { ...queries, [THRESHOLD_LEGEND]: alertThreshold(alert) };
  for (const [index, [legend, expression]] of Object.entries(allQueries).entries()) {
    panel.withTarget(query(expression, index).legendFormat(legend).range());
  }
  return alert === undefined ? panel : styleThreshold(panel);
};

/** Bars of the growth in each hour, or in longer intervals of a long range. Queries must use `$__interval`. */
export const bars = (options: GraphOptions): PanelBuilder =>
  graph({ stacked: true, calcs: ['sum', 'max'], ...options })
    .drawStyle(GraphDrawStyle.Bars)
    .fillOpacity(70)
    .interval('1h');

/** One band per series, coloured by its value. The interval matches the usual schedule of proxy tests. */
export const states = ({ queries, ...options }: PanelOptions & { queries: Queries }): StatesBuilder => {
  const panel = applyOptions(new StatesBuilder(), options)
    .colorScheme(new FieldColorBuilder().mode(FieldColorModeId.Thresholds))
    .tooltip(multiTooltip())
    .fillOpacity(80)
    .interval('10m');
  for (const [index, [legend, expression]] of Object.entries(queries).entries()) {
    panel.withTarget(query(expression, index).legendFormat(legend).range());
  }
  return panel;
};

/** Draws the threshold as a dashed line and hides it from the legend. */
const styleThreshold = (panel: PanelBuilder): PanelBuilder =>
  panel.overrideByRegexp('/^threshold /', [
    { id: 'color', value: { mode: 'fixed', fixedColor: 'red' } },
    { id: 'custom.lineStyle', value: { fill: 'dash', dash: [10, 10] } },
    { id: 'custom.fillOpacity', value: 0 },
    { id: 'custom.stacking', value: { mode: 'none', group: 'A' } },
    { id: 'custom.hideFrom', value: { legend: true, tooltip: false, viz: false } },
  ]);

const legendOf = (calcs: readonly string[]): VizLegendOptionsBuilder =>
  new VizLegendOptionsBuilder()
    .displayMode(LegendDisplayMode.Table)
    .placement(LegendPlacement.Bottom)
    .showLegend(true)
    .calcs([...calcs]);

const multiTooltip = (): VizTooltipOptionsBuilder =>
  new VizTooltipOptionsBuilder().mode(TooltipDisplayMode.Multi).sort(SortOrder.Descending);
