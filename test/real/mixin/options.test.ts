// Tests the options of the mixin with jsonnet and promtool.

import { expect, test } from 'vitest';
import { runbookUrlOf } from '../../../src/alerts/annotations.ts';
import { describeWith } from '../with-programs.ts';
import { alertsWith, DASHBOARDS, RULES, type Rule, render } from './rendered.ts';

const changed = (change: (rule: Rule) => Partial<Rule>): Rule[] =>
  RULES.map((rule) => ({ ...rule, ...change(rule) }));

/** Returns all committed dashboards with a change of their text. */
const withText = (change: (text: string) => string) =>
  Object.fromEntries([...DASHBOARDS].map(([name, text]) => [name, JSON.parse(change(text))]));

describeWith(['jsonnet', 'promtool'], 'the option', () => {
  test.each([
    'https://docs.example.com/proxywatch',
    'https://docs.example.com/proxywatch/',
    'https://docs.example.com/runbooks.html',
    'https://git.example.com/docs/alerts.md',
  ])('docsUrl %s adds the runbooks that the daemon names', async (docsUrl) => {
    expect(await alertsWith(`{ docsUrl: '${docsUrl}' }`)).toEqual(
      changed(({ alert, annotations }) => ({
        annotations: { ...annotations, runbook_url: runbookUrlOf(alert, { docsUrl }) ?? '' },
      })),
    );
  });

  test('docsUrl tells the dashboards the page of the runbooks, as the documented command does', async () => {
    const label = /("label": "Address of the page Alerts",\s*"query": )""/;
    expect([...DASHBOARDS.values()].filter((text) => !label.test(text))).toEqual([]);
    expect(await render('grafanaDashboards', "{ docsUrl: 'https://docs.example.com/' }")).toEqual(
      withText((text) => text.replace(label, '$1"https://docs.example.com/alerts.html"')),
    );
  });

  test('severities changes the named alerts only', async () => {
    const severities: Readonly<Record<string, string>> = { DataStale: 'page', ProxyFailing: 'info' };
    expect(await alertsWith(`{ severities: ${JSON.stringify(severities)} }`)).toEqual(
      changed(({ alert, labels }) => ({
        labels: { ...labels, severity: severities[alert] ?? labels.severity ?? '' },
      })),
    );
  });

  test('disabledAlerts leaves out the named alerts only', async () => {
    const disabled = ['SeriesDropped', 'DataStale'];
    expect(await alertsWith(`{ disabledAlerts: ${JSON.stringify(disabled)} }`)).toEqual(
      RULES.filter(({ alert }) => !disabled.includes(alert)),
    );
  });

  test('alertLabels adds labels to all alerts', async () => {
    expect(await alertsWith("{ alertLabels: { team: 'data' } }")).toEqual(
      changed(({ labels }) => ({ labels: { ...labels, team: 'data' } })),
    );
  });

  test('dashboardTitlePrefix begins all titles', async () => {
    expect(await render('grafanaDashboards', "{ dashboardTitlePrefix: 'Proxies: ' }")).toEqual(
      withText((text) => text.replace('"title": "proxywatch / ', '"title": "Proxies: ')),
    );
  });

  test('dashboardTags changes the tags of the dashboards, and of the menus that list them', async () => {
    expect(await render('grafanaDashboards', "{ dashboardTags: ['a', 'b'] }")).toEqual(
      withText((text) => text.replaceAll(/"tags": \[\s*"proxywatch"\s*\]/g, '"tags": ["a", "b"]')),
    );
  });

  test.each(["severities: { Stale: 'info' }", "disabledAlerts: ['Stale']"])(
    '%s fails, because there is no alert of this name',
    async (option) => {
      const [name] = option.split(':');
      await expect(render('prometheusAlerts', `{ ${option} }`)).rejects.toThrow(
        `${name}: proxywatch has no alert called Stale`,
      );
    },
  );
});
