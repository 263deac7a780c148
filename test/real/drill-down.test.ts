// Tests the dashboards of one user and one proxy, links and marks with a real Prometheus that scrapes made-up series.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Query, Values } from '../grafana/dashboard-files.ts';
import { optionsOf } from './grafana-queries.ts';
import { dashboardOf, MadeUpSeries } from './made-up-series.ts';
import type { QuerySeries } from './prometheus-server.ts';
import { describeWith } from './with-programs.ts';

const ADDRESSES = {
  status_page: 'https://status.example.com/',
  runbooks: 'https://docs.example.com/alerts.html',
};
const NOBODY = { proxy_user_id: '', proxy_id: '' };

const inPanel =
  (title: string) =>
  ({ location }: Query) =>
    location.includes(`: ${title} (`);
const marks = inPanel('annotations');
/** Thresholds, changes of the inventory and the ledger belong to the account. */
const isOfSubject = ({ expr }: Query): boolean =>
  !/proxywatch_(alert_threshold|inventory|residential)/.test(expr);

const valuesOf = (series: readonly QuerySeries[], label: string) =>
  new Set(series.map(({ labels }) => labels[label]));

let series: MadeUpSeries;

describeWith(['prometheus'], 'dashboards of one subject', () => {
  beforeAll(async () => {
    series = await MadeUpSeries.start();
  });
  afterAll(() => series?.[Symbol.asyncDispose]());

  test.each([
    ['', ['a.1', 'ab1']],
    ['b', ['ab1']],
    ['a.', ['a.1']],
    ['c', []],
  ])('a part of the id (%j) narrows the list of users, and a dot is only a dot', async (part, expected) => {
    const { list } = dashboardOf('proxywatch-user').templating;
    const variable = list.find(({ name }) => name === 'proxy_user_id');
    const values = { account: '.*', proxy_user_id_part: part };
    expect(variable && (await optionsOf(series.prometheus, variable, values))).toEqual(expected);
  });

  test.each(['proxywatch-user', 'proxywatch-proxy'])(
    '%s shows nothing while nothing is chosen',
    async (uid) => {
      expect(await series.seriesOf(uid, isOfSubject, NOBODY)).toEqual([]);
      expect(await series.seriesOf(uid, isOfSubject)).not.toEqual([]);
    },
  );

  test('shows in words that one series stands for all targets and testers', async () => {
    const found = await series.seriesOf('proxywatch-proxy', inPanel('Results over time'));
    expect(found.map(({ labels }) => labels)).toEqual([
      { account: 'main', url: 'all targets', tester_server: 'all testers' },
    ]);
  });

  test('does not show whether a proxy without test results is at fault', async () => {
    const isFault = inPanel('At fault');
    expect(await series.seriesOf('proxywatch-proxy', isFault)).toHaveLength(1);
    expect(await series.seriesOf('proxywatch-proxy', isFault, { proxy_id: 'untested' })).toEqual([]);
  });

  test('shows and marks only the alerts of the chosen proxy', async () => {
    const table = await series.seriesOf('proxywatch-proxy', inPanel('Firing alerts'));
    expect(valuesOf(table, 'alertname')).toEqual(new Set(['ProxyFailing']));
    const names = valuesOf(await series.seriesOf('proxywatch-proxy', marks), 'alertname');
    expect(names).toContain('ProxyFailing');
    expect(names).not.toContain('ProxyTargetBlocked');
  });

  test('has a runbook and a status page in each row only if their addresses are known', async () => {
    const isTable = inPanel('Firing alerts');
    const without = await series.seriesOf('proxywatch-overview', isTable);
    expect(without.flatMap(({ labels }) => [labels.runbook, labels.status_page]).filter(Boolean)).toEqual([]);
    const rows = await series.seriesOf('proxywatch-overview', isTable, ADDRESSES);
    expect(rows.map(({ labels }) => [labels.alertname, labels.runbook, labels.status_page])).toEqual(
      expect.arrayContaining([
        ['ProxyFailing', 'ProxyFailing', ADDRESSES.status_page],
        ['ProxyTargetBlocked', 'ProxyTargetBlocked', ADDRESSES.status_page],
      ]),
    );
  });

  test.each([
    ['proxywatch-overview', 'Faults'],
    ['proxywatch-user', 'User'],
    ['proxywatch-proxy', 'Proxy'],
    ['proxywatch-proxy', 'Results by target and tester'],
  ])(
    '%s links each row of the table %s to the status page only if its address is known',
    async (uid, title) => {
      const isLinked = (query: Query) => inPanel(title)(query) && query.expr.includes('$status_page');
      const pages = async (values: Values) => [
        ...valuesOf(await series.seriesOf(uid, isLinked, values), 'status_page'),
      ];
      expect(await pages({})).toEqual([undefined]);
      expect(await pages(ADDRESSES)).toEqual([ADDRESSES.status_page]);
    },
  );

  test.each([
    ['change', 'address'],
    ['reason', 'top_up'],
  ])('marks growth with the %s %s only around its time', async (label, value) => {
    const found = await series.seriesOf('proxywatch-overview', marks);
    const values = found.find(({ labels }) => labels[label] === value)?.points.map(([, at]) => at);
    expect(values?.some((at) => at > 0)).toBe(true);
    expect(values?.at(-1)).toBe(0);
  });
});
