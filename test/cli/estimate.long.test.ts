// Tests check-config's estimate against sums calculated by hand.

import { expect, test } from 'vitest';
import { estimate } from '../../src/cli/check-config.ts';
import { type Settings, settingsSchema } from '../../src/daemon/settings.ts';
import { configText } from './run-command.ts';

const NOW = Date.parse('2026-07-10T12:34:56Z');
const PROVIDER = { baseUrl: 'https://provider.example/1.0', publicKey: 'public', privateKey: 'private' };

const settingsOf = (account: Readonly<Record<string, unknown>>): Settings =>
  settingsSchema.parse(JSON.parse(configText(PROVIDER, { requests_per_second: 8, ...account })));

const proxies = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    name: `p${index}`,
    proxy: `192.0.2.${index % 250}:${8_000 + index}:alice:password`,
  }));

const warnings = (account: Readonly<Record<string, unknown>>): string[] =>
  estimate(settingsOf(account), NOW).filter((line) => line.includes('warning:'));

test('the defaults', () => {
  expect(estimate(settingsOf({}), NOW)).toEqual([
    'account main, estimated:',
    '  collector           API requests/day  series',
    // 5 graphs: 1,440 polls of a window a day each, and a deep reread of 7 windows of a day (6 d and a bucket).
    '  traffic                        7,235     100',
    '  residential_ledger               144      20',
    // 288 polls of 10 pages; 11 series for each of 1,000 users.
    '  proxy_users                    2,880  11,000',
    '  reconciliation                     2      52',
    '  total                         10,261  11,172',
    // 10,261 requests in 86,400 s.
    '  pace: 0.12 API requests a second of 8 allowed (requests_per_second)',
    '  scrape: 1.7 MB of text before compression',
    '  assumption: residential_ledger: the ledger has up to 100 rows; each further 100 rows cost one more request per poll',
    '  assumption: proxy_users: the account has 1,000 proxy users; each further 100 users cost one more request per poll',
    '  assumption: reconciliation: the sources agree; each day on which they differ costs one more request',
  ]);
});

test('proxy tests: runs of 20 proxies, results of every url and tester', () => {
  const lines = estimate(
    settingsOf({
      traffic: false,
      residential_ledger: false,
      proxy_users: false,
      reconciliation: false,
      proxy_tests: {
        urls: ['https://www.example.com/', 'https://shop.example/'],
        tester_servers: ['london', 'paris', 'oslo'],
        proxies: proxies(50),
      },
    }),
    NOW,
  );
  expect(lines).toEqual([
    'account main, estimated:',
    '  collector    API requests/day  series  test runs/day  GB/day through proxies',
    // 3 runs at each of 144 slots. 50 × 2 × 3 cells of 3 series, and 4 series a proxy. 43,200 tests of 20 kB.
    '  proxy_tests               432   1,100            432                    0.86',
    '  total                     432   1,100            432                    0.86',
    '  pace: 0.01 API requests a second of 8 allowed (requests_per_second)',
    '  scrape: 0.2 MB of text before compression',
    '  assumption: proxy_tests: each test sends 20 kB through the proxy',
  ]);
});

test('catalog, quotes and geography: one request in each slot for each item', () => {
  const lines = estimate(
    settingsOf({
      traffic: false,
      residential_ledger: false,
      proxy_users: false,
      catalog: { alert_on: ['isp_de', 'isp_fr'] },
      quotes: {
        items: ['isp_de', 'isp_fr', 'isp_gb'].map((code) => ({
          name: code,
          product_code: code,
          quantity: 1,
        })),
      },
      geography: {
        ...{ asns: [64_500, 64_501], cities: [200], subdivisions: ['fr-idf'] },
        availability: { mobile: ['gb', 'us'] },
      },
    }),
    NOW,
  );
  expect(lines.slice(2, 5)).toEqual([
    // 100 products with 2 series each, and one series for each watched product.
    '  catalog                       24     202',
    // 4 series a quote, and the credit.
    '  quotes                        72      13',
    // The continents, two networks, a city, a subdivision and two countries; 7 + 2 × 2 + 1 + 1 + 2 series.
    '  geography                      7      15',
  ]);
});

const URLS = ['https://www.example.com/', 'https://shop.example/'];

test('a warning for a single target and for a single tester, which cannot be compared with others', () => {
  const many = { urls: URLS, proxies: proxies(4) };
  expect(warnings({ proxy_tests: many })).toEqual([]);
  expect(warnings({ proxy_tests: { ...many, tester_servers: ['london', 'paris'] } })).toEqual([]);
  expect(warnings({ proxy_tests: { ...many, urls: URLS.slice(1) } })).toEqual([
    '  warning: proxy_tests: urls has only one target. If tests fail, proxywatch cannot compare targets and must rely on the error sources in the results; add a second url',
  ]);
  expect(warnings({ proxy_tests: { ...many, tester_servers: ['london'] } })).toEqual([
    '  warning: proxy_tests: tester_servers has only one tester. If tests fail, proxywatch cannot compare testers and must rely on the error sources in the results; add a second tester, or leave the list empty to use all',
  ]);
});

test('a warning for proxy tests without proxies and without a source of proxies', () => {
  expect(warnings({ proxy_tests: { urls: URLS } })).toEqual([
    '  warning: proxy_tests: proxies is empty, so proxywatch tests nothing; add proxies, or a source of proxies (file, service_id or search)',
  ]);
  expect(warnings({ proxy_tests: { urls: URLS, proxies: [{ search: {} }] } })).toEqual([]);
});

test('a warning for a schedule that needs more test runs than the daily budget', () => {
  // 0.69 runs a slot. With retests 100 proxies take 7 runs, plus one for the remainder of a slot: 12 slots.
  const proxy_tests = { urls: URLS, max_runs_per_day: 100, proxies: proxies(100) };
  expect(warnings({ proxy_tests })).toEqual([
    '  warning: proxy_tests: max_runs_per_day (100) is too small for the schedule "*/10 * * * *", so each proxy is tested only every 2h; raise max_runs_per_day or use a longer schedule',
  ]);
});

test('a warning for schedules that need the whole pace', () => {
  // 5 graphs every 5 seconds, and very few requests of the others: 1.04 a second, which is 80 % of 1.3.
  const traffic = { schedule: '*/5 * * * * *' };
  expect(warnings({ traffic, requests_per_second: 1.29 })).toEqual([
    '  warning: the schedules need more than 80% of requests_per_second, so few requests are left for a catch-up. Use longer schedules, or raise requests_per_second if the provider allows it',
  ]);
  expect(warnings({ traffic, requests_per_second: 1.31 })).toEqual([]);
});

test('a warning for a matrix of more series than allowed', () => {
  // 4 proxies × 2 urls × 10 testers, the assumed number.
  const proxy_tests = { urls: URLS, max_series: 79, proxies: proxies(4) };
  expect(warnings({ proxy_tests })).toEqual([
    '  warning: proxy_tests: the matrix would have 80 results, more than max_series (79), so proxywatch writes one set of series per proxy instead',
  ]);
  expect(warnings({ proxy_tests: { ...proxy_tests, max_series: 80 } })).toEqual([]);
});
