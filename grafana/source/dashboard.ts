// Builds a dashboard: rows of panels, links to the other dashboards, marks on the time axis, and ids of panels.

import type { Builder } from '@grafana/grafana-foundation-sdk/cog';
import {
  type Dashboard,
  DashboardBuilder,
  DashboardCursorSync,
  defaultGridPos,
  type Panel,
  RowBuilder,
  type RowPanel,
  type VariableModel,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { annotations } from './annotations.ts';
import { addresses, dashboardLinks, TAG } from './links.ts';
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
  /** Days begin at midnight in this time zone, which is the one of the browser by default. */
  readonly timezone?: 'browser' | 'utc';
  readonly variables: readonly Builder<VariableModel>[];
  readonly rows: readonly Row[];
  /** Selects the alerts that are marked on the time axis. By default, these are all alerts of the accounts. */
  readonly alertSelector?: string;
}

export const dashboard = ({
  uid,
  title,
  description,
  range,
  refresh,
  timezone = 'browser',
  ...rest
}: DashboardOptions): Dashboard => {
  const builder = new DashboardBuilder(title)
    .uid(uid)
    .description(description)
    .tags([TAG])
    .timezone(timezone)
    .time({ from: `now-${range}`, to: 'now' })
    .refresh(refresh)
    .tooltip(DashboardCursorSync.Crosshair)
    .link(dashboardLinks())
    .variables([datasource(), ...rest.variables, ...addresses()]);
  for (const annotation of annotations(rest.alertSelector)) builder.annotation(annotation);
  for (const row of rest.rows) addRow(builder, row);
  const { panels = [], links = [], annotations: marks, ...built } = builder.build();
  return {
    ...built,
    links: links.map(inTheBar),
    annotations: { list: (marks?.list ?? []).map(inTheBar) },
    panels: withIds(withoutGaps(panels)),
  };
};

/** Shows a link or a switch in the bar at the top. The builder's default hides it in a menu of newer versions. */
const inTheBar = <T extends { placement?: unknown }>({ placement: _, ...rest }: T) => rest;

/** The panels of an open row follow it; those of a closed row are inside it. */
const addRow = (builder: DashboardBuilder, { title, collapsed = false, panels }: Row): void => {
  const row = new RowBuilder(title).collapsed(collapsed);
  if (collapsed) for (const panel of panels) row.withPanel(panel);
  builder.withRow(row);
  if (!collapsed) for (const panel of panels) builder.withPanel(panel);
};

/** Moves up what follows closed rows, because the builder leaves room for the panels inside them. */
const withoutGaps = (panels: readonly (Panel | RowPanel)[]): (Panel | RowPanel)[] => {
  let gaps = 0;
  return panels.map((panel, index) => {
    const above = panels[index - 1];
    if (above && 'collapsed' in above && above.collapsed) gaps += topOf(panel) - topOf(above) - 1;
    return { ...panel, gridPos: { ...defaultGridPos(), ...panel.gridPos, y: topOf(panel) - gaps } };
  });
};

const topOf = ({ gridPos }: Panel | RowPanel): number => gridPos?.y ?? 0;

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
