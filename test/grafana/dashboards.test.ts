// The dashboards' files are made of their source (`vitest run test/grafana -u` renews them), and hold to its rules.

import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { dashboardFiles } from '../../grafana/source/dashboards.ts';
import { ALERT_FAMILIES } from '../../src/alerts/families.ts';
import { ALERTS } from '../../src/alerts/table.ts';
import { FAMILIES } from '../../src/collectors/index.ts';
import { DaemonMetrics } from '../../src/metrics/daemon-metrics.ts';
import {
  FOLDER,
  interpolate,
  ownValues,
  type Panel,
  panelsOf,
  queriesOf,
  readDashboards,
} from './dashboard-files.ts';
import { metricsIn } from './promql.ts';
import { TO_COME } from './to-come.ts';

const DASHBOARDS = readDashboards();
const daemon = new DaemonMetrics({ version: '0.0.0', nodeVersion: '24.0.0' });
const EXISTING = [...FAMILIES, ...ALERT_FAMILIES, ...daemon.families];

/** The series that Prometheus makes of a family by their names. */
const SERIES = new Map(
  EXISTING.flatMap(({ name, type }) =>
    (type === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']).map((end) => [name + end, name]),
  ),
);

describe.each(dashboardFiles())('%s', (name, text) => {
  test('is as its source makes it', async () => {
    await expect(text).toMatchFileSnapshot(join(FOLDER, name));
  });
});

test('there are no other files', () => {
  expect(DASHBOARDS.map(({ uid }) => `${uid.replace('proxywatch-', '')}.json`).toSorted()).toEqual(
    dashboardFiles()
      .map(([name]) => name)
      .toSorted(),
  );
});

describe.each(DASHBOARDS)('$uid', (dashboard) => {
  const panels = panelsOf(dashboard);

  test('can be known again and be found', () => {
    expect(dashboard).toMatchObject({
      title: expect.stringMatching(/^proxywatch \/ /),
      tags: ['proxywatch'],
      schemaVersion: 39,
      refresh: expect.stringMatching(/^\d+m$/),
    });
    expect(dashboard.templating.list[0]).toMatchObject({ name: 'datasource', type: 'datasource' });
  });

  test('numbers its panels, each once', () => {
    const ids = [...dashboard.panels, ...dashboard.panels.flatMap(({ panels = [] }) => panels)].map(
      ({ id }) => id,
    );
    expect(ids.every((id) => Number.isInteger(id) && id > 0)).toBe(true);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('has panels that say what they show, in which unit and from where', () => {
    const source = { type: 'prometheus', uid: expect.stringMatching(/^\$\{datasource\}$/) };
    for (const panel of panels) {
      expect(panel).toMatchObject({
        title: expect.stringMatching(/./),
        description: expect.stringMatching(/\.$/),
      });
      if (panel.type === 'text') continue;
      expect(panel).toMatchObject({
        datasource: source,
        fieldConfig: { defaults: { unit: expect.any(String) } },
      });
      expect(panel.targets?.length).toBeGreaterThan(0);
      for (const target of panel.targets ?? []) expect(target.datasource).toEqual(source);
    }
  });

  test('lays its panels out in lines that are full, none over another', () => {
    for (const line of linesOf([...dashboard.panels, ...panels])) {
      expect([titlesOf(line), line.reduce((sum, { gridPos }) => sum + gridPos.w, 0)]).toEqual([
        titlesOf(line),
        24,
      ]);
      for (const [index, { gridPos }] of line.entries()) {
        const before = line[index - 1]?.gridPos;
        expect(gridPos.x).toBe(before ? before.x + before.w : 0);
      }
    }
  });

  test('asks for families that there are, in sound PromQL', () => {
    const values = {
      ...ownValues(60),
      ...Object.fromEntries(dashboard.templating.list.map(({ name }) => [name, '1'])),
      window: '1h',
    };
    const unknown = queriesOf(dashboard).flatMap(({ of, expr }) =>
      metricsIn(interpolate(expr, values))
        .filter((name) => !SERIES.has(name) && !TO_COME.includes(name) && name !== 'ALERTS')
        .map((name) => `${of}: ${name}`),
    );
    expect(unknown).toEqual([]);
  });
});

test('uids are there once', () => {
  expect(new Set(DASHBOARDS.map(({ uid }) => uid)).size).toBe(DASHBOARDS.length);
});

test('every family of ours is on a dashboard, or what an alert rests on', () => {
  const shown = DASHBOARDS.flatMap((dashboard) => queriesOf(dashboard).map(({ expr }) => expr));
  const watched = ALERTS.map((alert) => alert.expression('1'));
  const named = [...shown, ...watched].join('\n').matchAll(/\bproxywatch_\w+/g);
  const asked = new Set([...named].map(([name]) => SERIES.get(name)));
  const forgotten = EXISTING.map(({ name }) => name).filter(
    (name) => name.startsWith('proxywatch_') && !asked.has(name),
  );
  expect(forgotten).toEqual([]);
});

const titlesOf = (panels: readonly Panel[]): string => panels.map(({ title }) => title).join(', ');

/** Panels by the line that they stand in, from the left. */
const linesOf = (panels: readonly Panel[]): Panel[][] =>
  [...Map.groupBy(new Set(panels), ({ gridPos }) => gridPos.y).values()].map((line) =>
    line.toSorted((a, b) => a.gridPos.x - b.gridPos.x),
  );
