// Builds a dashboard: rows of panels, links to the other dashboards, marks of alerts, and ids of panels.

import type { Builder } from '@grafana/grafana-foundation-sdk/cog';
import {
  type Dashboard,
  DashboardBuilder,
  DashboardCursorSync,
  DashboardLinkBuilder,
  DashboardLinkType,
  type Panel,
  RowBuilder,
  type RowPanel,
  type VariableModel,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { firingAnnotation } from './alerts.ts';
import { datasource } from './variables.ts';

export interface Row {
  readonly title: string;
  /** Whether the row is closed at first. Its queries run only after it is opened. */
  readonly collapsed?: boolean;
  readonly panels: readonly Builder<Panel>[];
}

interface DashboardOptions {
  readonly uid: string;
  readonly title: string;
  readonly description: string;
  /** The default time range, such as `24h`. */
  readonly range: string;
  readonly refresh: string;
  readonly variables: readonly Builder<VariableModel>[];
  readonly rows: readonly Row[];
}

export const TAG = 'proxywatch';
/** The schema version of Grafana 11.0; later versions migrate it. */
const SCHEMA_VERSION = 39;

export const dashboard = ({
  uid,
  title,
  description,
  range,
  refresh,
  ...rest
}: DashboardOptions): Dashboard => {
  const builder = new DashboardBuilder(title)
    .uid(uid)
    .description(description)
    .tags([TAG])
    .timezone('browser')
    .time({ from: `now-${range}`, to: 'now' })
    .refresh(refresh)
    .tooltip(DashboardCursorSync.Crosshair)
    .link(dashboardLinks())
    .annotation(firingAnnotation())
    .variables([datasource(), ...rest.variables]);
  for (const row of rest.rows) addRow(builder, row);
  const built = builder.build();
  return { ...built, schemaVersion: SCHEMA_VERSION, panels: withIds(built.panels ?? []) };
};

/** The panels of an open row follow it; those of a closed row are inside it. */
const addRow = (builder: DashboardBuilder, { title, collapsed = false, panels }: Row): void => {
  const row = new RowBuilder(title).collapsed(collapsed);
  if (collapsed) for (const panel of panels) row.withPanel(panel);
  builder.withRow(row);
  if (!collapsed) for (const panel of panels) builder.withPanel(panel);
};

/** Numbers the panels in their order, also inside closed rows. */
const withIds = (panels: readonly (Panel | RowPanel)[]): (Panel | RowPanel)[] => {
  let last = 0;
  const number = <P extends Panel | RowPanel>(panel: P): P => {
    last += 1;
    return { ...panel, id: last };
  };
  return panels.map((panel) => {
    const outer = number(panel);
    return 'panels' in outer ? { ...outer, panels: outer.panels.map(number) } : outer;
  });
};

const dashboardLinks = (): DashboardLinkBuilder =>
  new DashboardLinkBuilder('proxywatch')
    .type(DashboardLinkType.Dashboards)
    .tags([TAG])
    .asDropdown(false)
    .includeVars(true)
    .keepTime(true);
