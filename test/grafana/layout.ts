// Calculates where Grafana puts panels in a window of 1280 px, and how much of their texts is visible.

import type { Dashboard, Panel } from './dashboard-files.ts';
import { widthOf } from './text-width.ts';

const COLUMNS = 24;
const GAP = 8;
/** The width of the window without the margins of the page and a scrollbar. */
const GRID = 1280 - 2 * 16 - 15;
/** A panel's title shares its line with padding, the icon of the description, and the menu. */
const BESIDE_TITLE = 2 * 8 + 32 + 32 + 2;
const TITLE_SIZE = 14;
/** The narrowest column of a table, unless the table says otherwise. */
const COLUMN_MIN = 150;
/** A column's heading shares its cell with padding and the arrow of the sorting. */
const BESIDE_HEADING = 2 * 6 + 20;
/** The legend's text is small. Its line has a padding, the colour of the series, and a column for each summary. */
const LEGEND_SIZE = 12;
const BESIDE_LEGEND = 2 * 8 + 2 + 38;
const LEGEND_COLUMN = 75;

export const panelWidth = (columns: number): number =>
  ((GRID - GAP * (COLUMNS - 1)) / COLUMNS) * columns + GAP * (columns - 1);

export const isTitleCutOff = ({ title, gridPos, type }: Panel): boolean =>
  widthOf(title, TITLE_SIZE) > (type === 'row' ? GRID : panelWidth(gridPos.w)) - BESIDE_TITLE;

/** Returns the headings of a table that do not fit into their columns. */
export const cutOffHeadings = ({ transformations = [], fieldConfig, gridPos }: Panel): string[] => {
  const names = transformations.find(({ id }) => id === 'organize')?.options.renameByName ?? {};
  const headings = Object.values(names);
  const share = (panelWidth(gridPos.w) - 2 * GAP) / headings.length;
  return headings.filter((heading) => {
    const properties = fieldConfig?.overrides?.find(({ matcher }) => matcher.options === heading)?.properties;
    const min = Number(properties?.find(({ id }) => id === 'custom.minWidth')?.value ?? COLUMN_MIN);
    return widthOf(heading, TITLE_SIZE) > Math.max(share, min) - BESIDE_HEADING;
  });
};

/** Returns how much space (px) a panel has for a name in its legend, or undefined if it has no legend. */
export const legendSpace = ({ gridPos, options }: Panel): number | undefined =>
  options?.legend?.showLegend
    ? panelWidth(gridPos.w) - BESIDE_LEGEND - LEGEND_COLUMN * (options.legend.calcs ?? []).length
    : undefined;

export const legendWidth = (name: string): number => widthOf(name, LEGEND_SIZE);

/** Returns the titles of the panels in each cell of the grid. */
export const cellsOf = (panels: readonly Panel[]): Map<string, string[]> => {
  const cells = new Map<string, string[]>();
  for (const { title, gridPos } of panels)
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1)
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1)
        cells.set(`${x} ${y}`, [...(cells.get(`${x} ${y}`) ?? []), title]);
  return cells;
};

/** Returns the groups of panels that Grafana lays out together: the open part, and the inside of each closed row. */
export const groupsOf = ({ panels }: Dashboard): (readonly Panel[])[] => [
  panels,
  ...panels.flatMap((panel) => (panel.panels?.length ? [panel.panels] : [])),
];
