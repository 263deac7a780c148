// Tests what Grafana's schema requires of a dashboard: known kinds and units, names of queries, variables and marks.

import { describe, expect, test } from 'vitest';
import { panelsOf, readDashboards } from './dashboard-files.ts';

const PANEL_TYPES = ['stat', 'table', 'timeseries', 'state-timeline', 'text'];
const VARIABLE_TYPES = ['datasource', 'query', 'custom', 'textbox', 'constant'];
const TRANSFORMATIONS = ['merge', 'organize', 'groupingToMatrix'];
/** The units of Grafana that the dashboards use. Grafana shows an unknown unit as a suffix of the number. */
const UNITS = [
  ...['none', 'string', 'short', 'percentunit', 'bool_yes_no'],
  ...['decbytes', 's', 'dateTimeAsIso', 'dateTimeFromNow', 'reqps', 'wps'],
];
const GRID = { x: expect.any(Number), y: expect.any(Number), w: expect.any(Number), h: expect.any(Number) };

describe.each(readDashboards())('$uid', (dashboard) => {
  const panels = panelsOf(dashboard);

  test('has panels of known types, with known units and transformations', () => {
    for (const { type, title, gridPos, fieldConfig, transformations = [] } of panels) {
      const overrides = fieldConfig?.overrides?.flatMap(({ properties }) => properties) ?? [];
      const units = overrides.flatMap(({ id, value }) => (id === 'unit' ? [value] : []));
      const unknown = [fieldConfig?.defaults.unit, ...units].filter(
        (unit) => unit !== undefined && !UNITS.includes(String(unit)),
      );
      expect([title, unknown]).toEqual([title, []]);
      expect(PANEL_TYPES).toContain(type);
      expect(gridPos).toEqual(GRID);
      for (const { id } of transformations) expect(TRANSFORMATIONS).toContain(id);
    }
  });

  test('has queries with different names in each panel', () => {
    for (const { title, targets = [] } of panels) {
      const names = targets.map(({ refId }) => refId);
      expect([title, new Set(names).size]).toEqual([title, names.length]);
    }
  });

  test('has a uid that Grafana accepts', () => {
    expect(dashboard.uid).toMatch(/^[\w-]{1,40}$/);
  });

  test('has variables of known types, each with its own name', () => {
    const { list } = dashboard.templating;
    for (const { type } of list) expect(VARIABLE_TYPES).toContain(type);
    expect(new Set(list.map(({ name }) => name)).size).toBe(list.length);
  });

  test('offers one user or proxy at a time, from a list that Grafana does not read at every refresh', () => {
    const subjects = dashboard.templating.list.filter(({ name }) => /^proxy(_user)?_id$/.test(name));
    for (const variable of subjects)
      expect(variable).toMatchObject({
        multi: false,
        includeAll: false,
        refresh: 1,
        query: { query: expect.stringContaining('account=~"$account"') },
      });
    expect(subjects).toHaveLength(/-(user|proxy)$/.test(dashboard.uid) ? 1 : 0);
  });

  test('has marks that can be switched on and off, in the forms of old and new versions of Grafana', () => {
    const { list } = dashboard.annotations;
    expect(list.map(({ name, enable }) => [name, enable])).toEqual([
      ['Alerts', true],
      ['Added bytes', true],
      ['Inventory changes', false],
      ['Adjustments', false],
    ]);
    for (const { expr, step, target } of list)
      expect(target).toMatchObject({ expr, interval: step, refId: 'Anno' });
  });
});
