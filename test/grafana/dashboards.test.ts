// Tests that the dashboards' files match their source (`vitest run test/grafana -u` updates them), and their rules.

import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { dashboardFiles } from '../../grafana/source/dashboards.ts';
import { ALERT_FAMILIES } from '../../src/alerts/families.ts';
import { ALERTS } from '../../src/alerts/table.ts';
import { FAMILIES, HISTORY_FAMILIES } from '../../src/collectors/index.ts';
import { DaemonMetrics } from '../../src/metrics/daemon-metrics.ts';
import {
  builtInVariables,
  type Dashboard,
  FOLDER,
  interpolate,
  panelsOf,
  queriesOf,
  readDashboards,
} from './dashboard-files.ts';
import { metricsIn } from './promql.ts';

/** The dashboards of the source, which a test compares with the files. */
const DASHBOARDS = dashboardFiles().map(([, text]): Dashboard => JSON.parse(text));
const daemon = new DaemonMetrics({ version: '0.0.0', nodeVersion: '24.0.0' });
/** Derived families are off by default, so no panel may need them. */
const EXPOSED_FAMILIES = [...FAMILIES, ...ALERT_FAMILIES, ...daemon.families].filter(
  ({ isDerived }) => !isDerived,
);

/** Families by the names of the series that Prometheus stores for them. */
const SERIES = new Map(
  [...EXPOSED_FAMILIES, ...HISTORY_FAMILIES].flatMap(({ name, type }) =>
    (type === 'histogram' ? ['', '_bucket', '_sum', '_count'] : ['']).map((end) => [name + end, name]),
  ),
);

describe.each(dashboardFiles())('%s', (name, text) => {
  test('matches its source', async () => {
    await expect(text).toMatchFileSnapshot(join(FOLDER, name));
  });
});

test('there are no other files', () => {
  expect(
    readDashboards()
      .map(({ uid }) => `${uid.replace('proxywatch-', '')}.json`)
      .toSorted(),
  ).toEqual(
    dashboardFiles()
      .map(([name]) => name)
      .toSorted(),
  );
});

describe.each(DASHBOARDS)('$uid', (dashboard) => {
  const panels = panelsOf(dashboard);

  test('has a title, tag and schema version', () => {
    expect(dashboard).toMatchObject({
      title: expect.stringMatching(/^proxywatch \/ /),
      tags: ['proxywatch'],
      schemaVersion: 42,
      refresh: expect.stringMatching(/^\d+m$/),
    });
    expect(dashboard.templating.list[0]).toMatchObject({ name: 'datasource', type: 'datasource' });
  });

  test('has panels with unique ids', () => {
    const ids = [...dashboard.panels, ...dashboard.panels.flatMap(({ panels = [] }) => panels)].map(
      ({ id }) => id,
    );
    expect(ids.every((id) => Number.isInteger(id) && id > 0)).toBe(true);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('has panels with a title, description, unit and data source', () => {
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

  test('uses decimal bytes, and writes out percentiles', () => {
    const text = JSON.stringify(dashboard);
    expect(text).not.toContain('"unit":"bytes"');
    expect(text).not.toMatch(/\bp(50|95|99)\b/);
  });

  test('queries existing families in valid PromQL', () => {
    const values = {
      ...builtInVariables(60),
      ...Object.fromEntries(dashboard.templating.list.map(({ name }) => [name, '1'])),
      window: '1h',
    };
    const unknown = queriesOf(dashboard).flatMap(({ location, expr }) =>
      metricsIn(interpolate(expr, values))
        .filter((name) => !SERIES.has(name) && name !== 'ALERTS')
        .map((name) => `${location}: ${name}`),
    );
    expect(unknown).toEqual([]);
  });
});

test('uids are unique', () => {
  expect(new Set(DASHBOARDS.map(({ uid }) => uid)).size).toBe(DASHBOARDS.length);
});

test('every family of proxywatch is on a dashboard or in an alert', () => {
  const shown = DASHBOARDS.flatMap((dashboard) => queriesOf(dashboard).map(({ expr }) => expr));
  const watched = ALERTS.flatMap(({ expression, onset }) => [expression('1'), onset?.expression]);
  const named = [...shown, ...watched].join('\n').matchAll(/\bproxywatch_\w+/g);
  const shownFamilies = new Set([...named].map(([name]) => SERIES.get(name)));
  const missing = EXPOSED_FAMILIES.map(({ name }) => name).filter(
    (name) => name.startsWith('proxywatch_') && !shownFamilies.has(name),
  );
  expect(missing, 'add a panel with these families to grafana/source').toEqual([]);
});

test('every amount of money is in whole units, with the label of its currency or a reference to the setting', () => {
  const amounts = /proxywatch_(credit_balance|\w*_price|quote_discount|\w*money_saved_total)\b/;
  const panels = DASHBOARDS.flatMap(panelsOf).filter(({ targets = [] }) =>
    targets.some(({ expr }) => amounts.test(expr)),
  );
  expect(panels.map(({ title }) => title).toSorted()).toEqual([
    ...[
      'Configured orders',
      'Credit',
      'Prices',
      'Saved money in 24 hours',
      'Slices in the time range',
      'Terms',
    ],
  ]);
  for (const { title, type, description, targets = [], transformations = [] } of panels) {
    const shown = targets.filter(({ expr }) => amounts.test(expr));
    expect([title, shown.filter(({ expr }) => !expr.includes(' / 100'))]).toEqual([title, []]);
    const isLabelled = shown.some(({ expr }) => expr.includes('group_left (currency)'));
    expect([title, isLabelled]).toEqual([title, type !== 'timeseries']);
    if (type === 'timeseries') expect(description).toContain('the setting `currency`');
    const names = transformations.map(({ options }) => options.renameByName?.currency);
    if (type === 'table') expect(names).toContain('Currency');
    if (type === 'stat') expect(shown[0]?.legendFormat).toContain('{{currency}}');
  }
});

test('no time since something is that of the best of several daemons', () => {
  const sinceNewest = DASHBOARDS.flatMap(queriesOf).filter(({ expr }) =>
    /time\(\) - max ?\([^)]*instance=/.test(expr),
  );
  expect(sinceNewest.map(({ expr }) => expr)).toEqual([]);
});
