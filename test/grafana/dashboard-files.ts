// The committed dashboards as Grafana reads them: panels, also those of closed rows, and every query there is.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const FOLDER = join(import.meta.dirname, '../../grafana/dashboards');

interface Position {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

export interface Target {
  readonly refId: string;
  readonly expr: string;
  readonly instant: boolean;
  readonly datasource: unknown;
}

export interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly datasource?: unknown;
  readonly gridPos: Position;
  readonly targets?: readonly Target[];
  readonly panels?: readonly Panel[];
  readonly interval?: string;
  readonly transformations?: readonly {
    readonly id: string;
    readonly options: { readonly renameByName?: Readonly<Record<string, string>> };
  }[];
  readonly fieldConfig?: { readonly defaults: { readonly unit?: string } };
}

export interface Variable {
  readonly name: string;
  readonly type: string;
  readonly allValue?: string;
  readonly query: string | { readonly query: string };
  readonly current?: { readonly value: string | readonly string[] };
}

export interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly tags: readonly string[];
  readonly refresh: string;
  readonly schemaVersion: number;
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly Variable[] };
  readonly annotations: { readonly list: readonly { readonly expr?: string }[] };
}

export interface Query {
  /** Dashboard, panel and target, for messages. */
  readonly of: string;
  readonly expr: string;
  readonly isInstant: boolean;
  /** What `$__interval` is at least. */
  readonly interval?: string;
}

export const readDashboards = (): readonly Dashboard[] =>
  readdirSync(FOLDER).map((name) => JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as Dashboard);

/** All but rows. */
export const panelsOf = ({ panels }: Pick<Dashboard, 'panels'>): Panel[] =>
  panels.flatMap((panel) => (panel.type === 'row' ? (panel.panels ?? []) : [panel]));

/** Those of the panels, and of the marks of alerts. */
export const queriesOf = (dashboard: Dashboard): Query[] => [
  ...panelsOf(dashboard).flatMap(({ title, targets = [], interval }) =>
    targets.map(({ refId, expr, instant }) => ({
      of: `${dashboard.uid}: ${title} (${refId})`,
      expr,
      isInstant: instant,
      ...(interval !== undefined && { interval }),
    })),
  ),
  ...dashboard.annotations.list.map(({ expr = '' }) => ({
    of: `${dashboard.uid}: annotations`,
    expr,
    isInstant: false,
  })),
];

/** What stands for each variable, such as `account` or `__range`. */
export type Values = Readonly<Record<string, string>>;

/** Throws for a variable that has no value: Grafana would leave it as it stands. */
export const interpolate = (text: string, values: Values): string =>
  text.replaceAll(/\$(\w+)/g, (_, name: string) => {
    // In label_replace it is a group of the regular expression.
    if (/^\d+$/.test(name)) return `$${name}`;
    const value = values[name];
    if (value === undefined) throw new Error(`${text}: there is no variable ${name}`);
    return value;
  });

/** Grafana's own variables, for a range of so long and scrapes every second. */
export const ownValues = (rangeS: number, interval = '1s'): Values => ({
  __range: `${rangeS}s`,
  __interval: interval,
  __rate_interval: '4s',
});
