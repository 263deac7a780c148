// What every panel of ours has: a title, what it means in plain words, a unit, a width, and queries by legend.

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

/** The variable that picks the Prometheus to ask. */
// biome-ignore lint/suspicious/noTemplateCurlyInString: Grafana puts the variable in
export const DATASOURCE: DataSourceRef = { type: 'prometheus', uid: '${datasource}' };

/** From which value on which colour; the first has no value. */
export type Steps = readonly (readonly [from: number | null, color: string])[];

export const NEUTRAL: Steps = [[null, 'blue']];
export const badAbove = (red: number): Steps => [
  [null, 'green'],
  [red, 'red'],
];
export const warnAbove = (orange: number, red: number): Steps => [
  [null, 'green'],
  [orange, 'orange'],
  [red, 'red'],
];
export const badBelow = (green: number): Steps => [
  [null, 'red'],
  [green, 'green'],
];
/** For what should be high: red below the first value, orange below the second. */
export const warnBelow = (red: number, orange: number): Steps => [
  [null, 'red'],
  [red, 'orange'],
  [orange, 'green'],
];

export interface PanelOptions {
  readonly title: string;
  readonly description: string;
  /** As Grafana names units: `decbytes`, `percentunit`, `s`, … */
  readonly unit: string;
  /** Of 24 columns. */
  readonly width: number;
  /** In units of 30 px. */
  readonly height?: number;
  readonly decimals?: number;
  readonly min?: number;
  readonly max?: number;
  readonly steps?: Steps;
  /** What is shown in place of nothing. */
  readonly noValue?: string;
}

/** Expressions by legend. */
export type Queries = Readonly<Record<string, string>>;

/** What the builders of all kinds of panels have in common. */
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

/** Sets what the options say, and returns the panel. */
export const dress = <P extends PanelBuilder>(panel: P, options: PanelOptions): P => {
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
