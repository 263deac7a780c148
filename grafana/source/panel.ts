// Defines what all panels have: a title, a description, a unit, a size, thresholds, and queries by legend.

import type { Builder, Dataquery } from '@grafana/grafana-foundation-sdk/cog';
import type { DataSourceRef } from '@grafana/grafana-foundation-sdk/common';
import {
  type DynamicConfigValue,
  type Panel,
  type ThresholdsConfig,
  ThresholdsConfigBuilder,
  ThresholdsMode,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { DataqueryBuilder } from '@grafana/grafana-foundation-sdk/prometheus';

/** The variable that chooses the Prometheus data source. */
// biome-ignore lint/suspicious/noTemplateCurlyInString: Grafana puts the variable in
export const DATASOURCE: DataSourceRef = { type: 'prometheus', uid: '${datasource}' };

/** Colours and the values from which they apply; the first has no value. */
export type Steps = readonly (readonly [from: number | null, color: string])[];

export const NEUTRAL: Steps = [[null, 'blue']];
export const redAbove = (red: number): Steps => [
  [null, 'green'],
  [red, 'red'],
];
export const warnAbove = (orange: number, red: number): Steps => [
  [null, 'green'],
  [orange, 'orange'],
  [red, 'red'],
];
export const redBelow = (green: number): Steps => [
  [null, 'red'],
  [green, 'green'],
];
/** For values that should be high: red below the first value, orange below the second. */
export const warnBelow = (red: number, orange: number): Steps => [
  [null, 'red'],
  [red, 'orange'],
  [orange, 'green'],
];

export interface PanelOptions {
  readonly title: string;
  readonly description: string;
  /** Grafana's name of the unit: `decbytes`, `percentunit`, `s`, … */
  readonly unit: string;
  /** The width in columns, of which there are 24. */
  readonly width: number;
  /** The height in units of 30 px. */
  readonly height?: number;
  readonly decimals?: number;
  readonly min?: number;
  readonly max?: number;
  readonly steps?: Steps;
  /** The text that is shown if there is no value. */
  readonly noValue?: string;
}

/** PromQL expressions by legend. */
export type Queries = Readonly<Record<string, string>>;

/** The methods that the builders of all kinds of panels share. */
export interface PanelBuilder extends Builder<Panel> {
  title(title: string): this;
  description(description: string): this;
  datasource(datasource: DataSourceRef): this;
  span(width: number): this;
  height(height: number): this;
  unit(unit: string): this;
  decimals(decimals: number): this;
  min(min: number): this;
  max(max: number): this;
  noValue(text: string): this;
  thresholds(thresholds: Builder<ThresholdsConfig>): this;
  overrideByName(name: string, properties: DynamicConfigValue[]): this;
  withTarget(target: Builder<Dataquery>): this;
}

/** Applies the options to the panel and returns it. */
export const applyOptions = <P extends PanelBuilder>(panel: P, options: PanelOptions): P => {
  panel
    .title(options.title)
    .description(options.description)
    .datasource(DATASOURCE)
    .span(options.width)
    .height(options.height ?? 8)
    .unit(options.unit)
    .thresholds(thresholdsOf(options.steps ?? NEUTRAL));
  if (options.decimals !== undefined) panel.decimals(options.decimals);
  if (options.min !== undefined) panel.min(options.min);
  if (options.max !== undefined) panel.max(options.max);
  if (options.noValue !== undefined) panel.noValue(options.noValue);
  return panel;
};

export const thresholdsOf = (steps: Steps): ThresholdsConfigBuilder =>
  new ThresholdsConfigBuilder()
    .mode(ThresholdsMode.Absolute)
    .steps(steps.map(([value, color]) => ({ value, color })));

export const query = (expression: string, index: number): DataqueryBuilder =>
  new DataqueryBuilder()
    .datasource(DATASOURCE)
    .refId(String.fromCharCode('A'.charCodeAt(0) + index))
    .expr(expression);
