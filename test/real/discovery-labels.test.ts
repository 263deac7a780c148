// Tests all rules and dashboards with a real Prometheus whose target has every label that service discovery adds, and with
// those settings of Prometheus 3 that store other series: labels for the type and the unit, and native histograms.

import { writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rulesOf } from '../../src/alerts/rules.ts';
import { ALERTS } from '../../src/alerts/table.ts';
import { queriesOf, readDashboards } from '../grafana/dashboard-files.ts';
import { DISCOVERY_LABELS, TARGET_LABELS } from '../support/discovery-labels.ts';
import { engines } from './engines.ts';
import { MANY, runQuery, selectAll, withoutLimit } from './grafana-queries.ts';
import { type Prometheus, type PrometheusOptions, startPrometheus } from './prometheus-server.ts';
import { ACCOUNTS, ENDPOINTS, serveTrouble } from './trouble.ts';
import { describeWith } from './with-programs.ts';

const PATIENCE = { timeout: 30_000, interval: 250 };

const withNative = (scrape: object): PrometheusOptions => ({
  feature: 'native-histograms',
  scrape: { convert_classic_histograms_to_nhcb: true, ...scrape },
});
const OF_VERSION_3: Readonly<Record<string, PrometheusOptions>> = {
  'the labels of types and units': { feature: 'type-and-unit-labels' },
  'native histograms alone': withNative({}),
  'native and classic histograms': withNative({ always_scrape_classic_histograms: true }),
};

/** What adds to the stored series or changes them, and how Prometheus is started for it. */
const VARIANTS: readonly (readonly [title: string, options: PrometheusOptions])[] = [
  ['the labels of service discovery', { labels: TARGET_LABELS }],
  ...engines('prometheus')
    .filter(({ name }) => name.startsWith('prometheus 3'))
    .slice(0, 1)
    .flatMap(({ name, path: program }) =>
      Object.entries(OF_VERSION_3).map(
        ([title, options]) => [`${title} in ${name}`, { ...options, program }] as const,
      ),
    ),
];
const ADDED = new Set([...Object.keys(DISCOVERY_LABELS), '__type__', '__unit__']);

/** The queries that only classic histograms answer, because no function of all engines reads the sum of native ones. */
const CLASSIC_ONLY =
  /Targets and testers \(B\)|(Mean duration of each phase|Writes|Garbage collection) \(A\)/;

/** Leaves out the added labels, which queries without an aggregation keep. */
const ownLabels = (labels: Readonly<Record<string, string>>): string =>
  JSON.stringify(
    Object.entries(labels)
      .filter(([name]) => !ADDED.has(name))
      .toSorted(),
  );

/** The series of one account are those of the other, so each query with All returns both. */
const withOtherAccount = (labels: string): string =>
  labels.replaceAll(/(?<=")(main|spare)\b/g, (account) => (account === 'main' ? 'spare' : 'main'));

describe.each(VARIANTS)('with %s', (title, options) => {
  describeWith(['prometheus'], 'Prometheus', () => {
    const stack = new AsyncDisposableStack();
    let plain: Prometheus;
    let own: Prometheus;
    const startedAt = Date.now();
    beforeAll(async () => {
      const { address } = stack.use(await serveTrouble());
      const folder = stack.use(await mkdtempDisposable(join(tmpdir(), 'proxywatch-rules-')));
      const rules = join(folder.path, 'rules.yml');
      writeFileSync(rules, rulesOf(ALERTS, { holdScale: 0 }));
      plain = stack.use(await startPrometheus({ targets: [address], rules }));
      own = stack.use(await startPrometheus({ ...options, targets: [address], rules }));
    });
    afterAll(() => stack.disposeAsync());

    const subjectsOf = async (name: string) =>
      (await own.alerts()).map(({ labels }) => labels).filter(({ alertname }) => alertname === name);

    test('renames no label', async () => {
      const isScraped = async () => (await own.query('proxywatch_build_info')).length;
      await expect.poll(isScraped, PATIENCE).toBe(1);
      const [series] = await own.query('{__name__="proxywatch_api_last_success_timestamp_seconds"}');
      expect(series?.labels).toMatchObject({ ...options.labels, job: 'proxywatch' });
      const all = await own.query('{__name__=~"proxywatch_.*"}');
      expect(all.length).toBeGreaterThan(500);
      expect('__type__' in (series?.labels ?? {})).toBe(title.includes('types'));
      const names = all.map(({ labels: { __name__ = '' } }) => __name__);
      expect(names.some((name) => name.endsWith('_bucket'))).toBe(!title.includes('alone'));
      const renamed = all.filter(({ labels }) => Object.keys(labels).some((name) => /^exported_/.test(name)));
      expect(renamed).toEqual([]);
    });

    test('fires the same alerts', async () => {
      await expect.poll(async () => (await subjectsOf('ProviderEndpointForbidden')).length, PATIENCE).toBe(4);
      await expect.poll(async () => (await subjectsOf('TestQuotaRefused')).length, PATIENCE).toBe(2);
      await expect.poll(async () => (await subjectsOf('CollectorFailing')).length, PATIENCE).toBe(2);
      const failing = ACCOUNTS.map(() => ({ collector: 'inventory' }));
      expect(await subjectsOf('CollectorFailing')).toMatchObject(failing);
      for (const name of ['ProxiesFailing', 'ServiceExpiringSoon', 'ReconciliationDiffers'])
        expect([name, await subjectsOf(name)]).toEqual([name, [expect.anything(), expect.anything()]]);
      const firing = async (prometheus: Prometheus): Promise<string[]> =>
        (await prometheus.alerts())
          .filter(({ state }) => state === 'firing')
          .map(({ labels }) => ownLabels(labels))
          .toSorted();
      await expect
        .poll(async () => {
          const [found, expected] = [await firing(own), await firing(plain)];
          return found.length > 5 && JSON.stringify(found) === JSON.stringify(expected);
        }, PATIENCE)
        .toBe(true);
    });

    test('answers each query of the dashboards with the same series', async () => {
      const increased = 'sum(increase(proxywatch_api_requests_total[5s])) > 0';
      for (const prometheus of [plain, own])
        await expect.poll(async () => (await prometheus.query(increased)).length, PATIENCE).toBe(1);
      const locations = async (): Promise<string[]> => {
        const differing: string[] = [];
        for (const dashboard of readDashboards()) {
          const values = { ...(await selectAll(own, dashboard)), limit: MANY };
          for (const query of queriesOf(dashboard)) {
            const seriesOf = async (prometheus: Prometheus) =>
              (await runQuery(prometheus, withoutLimit(query), values, startedAt))
                .map(({ labels }) => ownLabels(labels))
                .toSorted();
            const [found, expected] = [await seriesOf(own), await seriesOf(plain)];
            const others = found.map(withOtherAccount).toSorted();
            if ([expected, others].some((each) => JSON.stringify(found) !== JSON.stringify(each)))
              differing.push(query.location);
          }
        }
        return differing.filter((location) => !(title.includes('alone') && CLASSIC_ONLY.test(location)));
      };
      // The two scrape at different moments, so right after the start one of them can have a sample more.
      await expect.poll(locations, PATIENCE).toEqual([]);
      const requests = readDashboards()
        .flatMap(queriesOf)
        .find(({ location }) => location.includes('Requests by endpoint'));
      if (!requests) throw new Error('there is no panel “Requests by endpoint”');
      const shown = await runQuery(
        own,
        requests,
        { account: '.*', job: 'proxywatch', instance: '.*' },
        startedAt,
      );
      expect(shown.map(({ labels }) => labels.api_endpoint).toSorted()).toEqual(ENDPOINTS.toSorted());
    });
  });
});
