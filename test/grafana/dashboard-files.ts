// Reads the committed dashboards: their panels, including those of closed rows, and all queries.

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
  readonly legendFormat?: string;
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
  readonly fieldConfig?: {
    readonly defaults: { readonly unit?: string };
    readonly overrides?: readonly {
      readonly matcher: { readonly id: string; readonly options: unknown };
      readonly properties: readonly { readonly id: string; readonly value: unknown }[];
    }[];
  };
  readonly options?: {
    readonly legend?: { readonly showLegend: boolean; readonly calcs?: readonly string[] };
  };
}

export interface Variable {
  readonly name: string;
  readonly type: string;
  readonly label: string;
  readonly includeAll: boolean;
  /** 2 for a variable that Grafana does not show. */
  readonly hide?: number;
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
  readonly annotations: { readonly list: readonly Annotation[] };
  readonly links: readonly { readonly type: string; readonly tags: readonly string[] }[];
}

export interface Annotation {
  readonly name: string;
  readonly enable: boolean;
  readonly expr: string;
  readonly step: string;
  readonly target: { readonly expr: string; readonly interval: string };
}

export interface Query {
  /** Names the dashboard, panel and target, for messages. */
  readonly location: string;
  readonly expr: string;
  readonly isInstant: boolean;
  /** The minimum of `$__interval`. */
  readonly interval?: string;
}

export const readDashboards = (): readonly Dashboard[] =>
  readdirSync(FOLDER).map((name) => JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as Dashboard);

/** Returns all panels except rows. */
export const panelsOf = ({ panels }: Pick<Dashboard, 'panels'>): Panel[] =>
  panels.flatMap((panel) => (panel.type === 'row' ? (panel.panels ?? []) : [panel]));

/** Returns the queries of the panels and of the annotations. */
export const queriesOf = (dashboard: Dashboard): Query[] => [
  ...panelsOf(dashboard).flatMap(({ title, targets = [], interval }) =>
    targets.map(({ refId, expr, instant }) => ({
      location: `${dashboard.uid}: ${title} (${refId})`,
      expr,
      isInstant: instant,
      ...(interval !== undefined && { interval }),
    })),
  ),
  ...dashboard.annotations.list.map(({ name, expr }) => ({
    location: `${dashboard.uid}: annotations (${name})`,
    expr,
    isInstant: false,
  })),
];

/** Values of variables, such as `account` or `__range`. */
export type Values = Readonly<Record<string, string>>;

/** Replaces variables with their values. Throws for a variable without a value, which Grafana would not replace. */
export const interpolate = (text: string, values: Values): string =>
  text.replaceAll(/\$(\w+)|\$\{(\w+):(\w+)\}/g, (_, plain?: string, named = '', format?: string) => {
    const name = plain ?? named;
    // In label_replace, `$1` is a group of the regular expression.
    if (/^\d+$/.test(name)) return `$${name}`;
    const value = values[name];
    if (value === undefined) throw new Error(`${text}: there is no variable ${name}`);
    return format === 'regex' ? value.replaceAll(/[\\^$*+?.()|[\]{}/]/g, '\\$&') : value;
  });

/** Returns the values of Grafana's own variables for a range and scrapes every second. */
export const builtInVariables = (rangeS: number, interval = '1s'): Values => ({
  __range: `${rangeS}s`,
  __interval: interval,
  __rate_interval: '4s',
});
