// Tests the layout of the dashboards by calculation: overlaps, gaps, empty rows, and texts that do not fit.

import { describe, expect, test } from 'vitest';
import { type Panel, panelsOf, readDashboards } from './dashboard-files.ts';
import { cellsOf, cutOffHeadings, groupsOf, isTitleCutOff } from './layout.ts';
import { widthOf } from './text-width.ts';

const COLUMNS = 24;

const panel = (title: string, [x, y, w, h]: readonly [number, number, number, number]): Panel => ({
  id: 1,
  type: 'stat',
  title,
  gridPos: { x, y, w, h },
});

describe.each(readDashboards())('$uid', (dashboard) => {
  test.each(groupsOf(dashboard).map((panels) => [panels[0]?.title ?? '', panels] as const))(
    'fills the area from %s without overlap and gaps',
    (_title, panels) => {
      const cells = cellsOf(panels);
      const overlaps = [...cells.values()].filter((titles) => titles.length > 1);
      expect(overlaps).toEqual([]);
      const top = Math.min(...panels.map(({ gridPos }) => gridPos.y));
      const bottom = Math.max(...panels.map(({ gridPos }) => gridPos.y + gridPos.h));
      expect(cells.size).toBe(COLUMNS * (bottom - top));
      expect([...cells.keys()].map((cell) => Number(cell.split(' ')[0])).every((x) => x < COLUMNS)).toBe(
        true,
      );
    },
  );

  test('begins with a row, and has no empty row', () => {
    const { panels } = dashboard;
    expect(panels[0]?.type).toBe('row');
    const empty = panels.filter(({ type, panels: inside = [] }, index) => {
      const next = panels[index + 1];
      return type === 'row' && inside.length === 0 && (next === undefined || next.type === 'row');
    });
    expect(empty.map(({ title }) => title)).toEqual([]);
  });

  test('shows the titles of panels in full', () => {
    const cutOff = [...dashboard.panels, ...panelsOf(dashboard)].filter(isTitleCutOff);
    expect(cutOff.map(({ title, gridPos }) => `${title} (${gridPos.w})`)).toEqual([]);
  });

  test('shows the headings of tables in full', () => {
    const tables = panelsOf(dashboard).filter(({ type }) => type === 'table');
    expect(
      tables.flatMap((table) => cutOffHeadings(table).map((heading) => `${table.title}: ${heading}`)),
    ).toEqual([]);
  });
});

test('the calculation finds overlaps, gaps and titles that do not fit', () => {
  const overlapping = [panel('a', [0, 0, 12, 4]), panel('b', [11, 0, 13, 4])];
  expect([...cellsOf(overlapping).values()].some((titles) => titles.length > 1)).toBe(true);
  expect(cellsOf([panel('a', [0, 0, 12, 4])]).size).toBeLessThan(COLUMNS * 4);
  expect(isTitleCutOff(panel('Exhausted quotas', [0, 0, 3, 4]))).toBe(true);
  expect(isTitleCutOff(panel('Exhausted quotas', [0, 0, 4, 4]))).toBe(false);
  // As Chromium measures the text in this font, without the space between letters.
  expect(widthOf('Exhausted quotas', 100) - 16 * 0.15).toBeCloseTo(797.8, 0);
});
