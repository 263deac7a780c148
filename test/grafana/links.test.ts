// Tests the links of the dashboards: their targets exist, and nothing links to an address that is not set.

import { describe, expect, test } from 'vitest';
import { ALERTS } from '../../src/alerts/table.ts';
import { VIEWS_BY_LABEL, viewOf } from '../../src/page/address.ts';
import { type Dashboard, type Panel, panelsOf, readDashboards } from './dashboard-files.ts';

interface Link {
  readonly title: string;
  readonly url: string;
  /** The heading of the column with the link, or the type of its fields. */
  readonly column: string;
}

const DASHBOARDS = readDashboards();
const BY_UID = new Map(DASHBOARDS.map((dashboard) => [dashboard.uid, dashboard]));
/** The dashboards about one subject, by the label of the subject. */
const SUBJECT_UIDS = { proxy_user_id: 'proxywatch-user', proxy_id: 'proxywatch-proxy' };

const linksOf = ({ fieldConfig }: Panel): Link[] =>
  (fieldConfig?.overrides ?? []).flatMap(({ matcher, properties }) =>
    properties
      .filter(({ id }) => id === 'links')
      .flatMap(({ value }) => value as Link[])
      .map((link) => ({ ...link, column: String(matcher.options) })),
  );

const namesOf = ({ transformations = [] }: Panel): Readonly<Record<string, string>> =>
  transformations.find(({ id }) => id === 'organize')?.options.renameByName ?? {};

const variablesOf = ({ templating }: Dashboard): string[] => templating.list.map(({ name }) => name);

const LABELS_OF_VIEWS = new Map<string, string>([
  ...Object.entries(VIEWS_BY_LABEL).map(([label, view]) => [view, label] as const),
  ['alert', 'alertname'],
]);

/** Expects that the address opens a view of the page, with the account and the subject of the row or the dashboard. */
const expectSubject = (
  page: string,
  names: Readonly<Record<string, string>>,
  variables: readonly string[],
): void => {
  const [address = '', query = ''] = page.split('?');
  expect(address).toBe(`\${__value.raw:raw}`);
  const { account, type, ...parameters } = Object.fromEntries(new URLSearchParams(query));
  expect(account).toBe(`\${__data.fields.${names.account}:percentencode}`);
  const view = viewOf(parameters, '')?.view ?? 'unknown';
  const label = LABELS_OF_VIEWS.get(view);
  const source = label && (names[label] === undefined ? label : `__data.fields.${names[label]}`);
  expect([view, parameters.id]).toEqual(
    source === undefined ? ['account', undefined] : [parameters.view, `\${${source}:percentencode}`],
  );
  if (label !== undefined && names[label] === undefined) expect(variables).toContain(label);
  const hasType = view === 'user' && names.product_type !== undefined;
  expect(type).toBe(hasType ? `\${__data.fields.${names.product_type}:percentencode}` : undefined);
};

describe.each(DASHBOARDS)('$uid', (dashboard) => {
  const panels = panelsOf(dashboard);
  const links = panels.flatMap(linksOf);

  test('links to all other dashboards', () => {
    expect(dashboard.links).toMatchObject([
      { type: 'dashboards', tags: dashboard.tags, includeVars: true, keepTime: true },
    ]);
  });

  test('links to existing dashboards and to their variables, with the data source and the time range', () => {
    for (const { url } of links.filter(({ url }) => url.startsWith('/'))) {
      const [path = '', query = ''] = url.split('?');
      const target = BY_UID.get(path.replace('/d/', ''));
      const names = [...query.matchAll(/var-(\w+)=/g)].map(([, name]) => name);
      expect(names).toEqual(expect.arrayContaining(['account', 'datasource']));
      expect(target && variablesOf(target)).toEqual(expect.arrayContaining(names));
      expect(query).toMatch(/&\$\{__url_time_range\}$/);
    }
  });

  test('has links in columns that exist, which use fields that exist', () => {
    for (const panel of panels.filter(({ type }) => type === 'table'))
      for (const { column, url } of linksOf(panel)) {
        const fields = [...url.matchAll(/__data\.fields\.(\w+)/g)].map(([, field]) => field);
        expect(Object.values(namesOf(panel))).toEqual(expect.arrayContaining([column, ...fields]));
      }
  });

  test('links every user and proxy in a table to its dashboard', () => {
    for (const panel of panels)
      for (const [label, uid] of Object.entries(SUBJECT_UIDS)) {
        const heading = namesOf(panel)[label];
        const urls = linksOf(panel).flatMap(({ column, url }) => (column === heading ? [url] : []));
        if (heading !== undefined)
          expect([panel.title, urls]).toEqual([panel.title, [expect.stringContaining(`/d/${uid}?`)]]);
      }
  });

  test('links every account and subject in a table to its page of the status page', () => {
    for (const panel of panels.filter(({ type }) => type === 'table')) {
      const names = namesOf(panel);
      const pages = linksOf(panel).flatMap(({ column, url }) => (column === 'Status page' ? [url] : []));
      expect([panel.title, 'status_page' in names]).toEqual([panel.title, pages.length > 0]);
      expect(panel.targets?.[0]?.expr.includes('"$status_page"')).toBe(pages.length > 0);
      for (const page of pages) expectSubject(page, names, variablesOf(dashboard));
      const hasSubject =
        names.account !== undefined && Object.keys(VIEWS_BY_LABEL).some((name) => names[name]);
      if (hasSubject) expect([panel.title, pages.length]).not.toEqual([panel.title, 0]);
    }
  });

  test('has no address of a status page or of runbooks, and no link outside the columns of such addresses', () => {
    const addresses = dashboard.templating.list.filter(({ type }) => type === 'constant');
    expect(addresses).toMatchObject([
      { name: 'status_page', query: '', hide: 2, skipUrlSync: true },
      { name: 'runbooks', query: '', hide: 2, skipUrlSync: true },
    ]);
    const outside = links.filter(({ url }) => !url.startsWith('/'));
    const columns = outside.map(({ column }) => column);
    expect(columns.filter((column) => !['Runbook', 'Status page'].includes(column))).toEqual([]);
  });
});

test('every alert has a link to its heading in the reference of alerts', () => {
  const overview = BY_UID.get('proxywatch-overview');
  const table =
    overview && panelsOf(overview).find(({ title, type }) => title === 'Firing alerts' && type === 'table');
  const runbook = table?.fieldConfig?.overrides?.find(({ matcher }) => matcher.options === 'Runbook');
  const mapping = runbook?.properties.find(({ id }) => id === 'mappings')?.value;
  expect(mapping).toEqual([
    {
      type: 'value',
      options: Object.fromEntries(ALERTS.map(({ name }) => [name, { text: name.toLowerCase() }])),
    },
  ]);
});
