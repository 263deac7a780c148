// Tests check-config's estimate against sums calculated by hand.

import { expect, test } from 'vitest';
import { estimate } from '../../src/cli/estimate.ts';
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
    'account main:',
    // 5 graphs: 1,440 polls of a window a day each, and a deep reread of 7 windows of a day (6 d and a bucket).
    '  traffic: 7235 API requests a day, 100 series',
    '  residential_ledger: 144 API requests a day, 20 series',
    // 288 polls of 10 pages; 11 series for each of 1,000 users.
    '  proxy_users: 2880 API requests a day, 11000 series',
    '  reconciliation: 2 API requests a day, 16 series',
    // 10,261 requests in 86,400 s.
    '  in all: 0.12 API requests a second of 8, 11136 series, 1.7 MB a scrape before compression',
    '  assuming, for residential_ledger: a ledger of up to 100 rows; each further 100 cost a request more',
    '  assuming, for proxy_users: 1000 proxy users; each further 100 cost a request more a poll',
    '  assuming, for reconciliation: sources that agree; a day on which they differ costs a request more',
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
    'account main:',
    // 3 runs at each of 144 slots. 50 × 2 × 3 cells of 4 series, and 4 series a proxy. 43,200 tests of 20 kB.
    '  proxy_tests: 432 API requests a day, 1400 series, 432 test runs a day, 0.86 GB a day through the proxies',
    '  in all: 0.01 API requests a second of 8, 1400 series, 0.2 MB a scrape before compression',
    '  assuming, for proxy_tests: 20000 bytes through the proxy for each test',
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
      geography: { asns: [64_500, 64_501], cities: [200], subdivisions: ['fr-idf'] },
    }),
    NOW,
  );
  expect(lines.slice(1, 4)).toEqual([
    // 100 products with 2 series each, and one series for each watched product.
    '  catalog: 24 API requests a day, 202 series',
    // 4 series a quote, and the credit.
    '  quotes: 72 API requests a day, 13 series',
    // The continents, two networks, a city and a subdivision; 7 + 2 × 2 + 1 + 1 series.
    '  geography: 5 API requests a day, 13 series',
  ]);
});

const URLS = ['https://www.example.com/', 'https://shop.example/'];

test('a warning for a single target and for a single tester, which cannot be compared with others', () => {
  const many = { urls: URLS, proxies: proxies(4) };
  expect(warnings({ proxy_tests: many })).toEqual([]);
  expect(warnings({ proxy_tests: { ...many, tester_servers: ['london', 'paris'] } })).toEqual([]);
  expect(warnings({ proxy_tests: { ...many, urls: URLS.slice(1) } })).toEqual([
    '  warning: proxy_tests: urls has a single target: if it fails, proxywatch has nothing to compare it with and depends on the error sources in the results; add a second url',
  ]);
  expect(warnings({ proxy_tests: { ...many, tester_servers: ['london'] } })).toEqual([
    '  warning: proxy_tests: tester_servers has a single tester: if it fails, proxywatch has nothing to compare it with and depends on the error sources in the results; add a second tester, or leave the list empty to use all',
  ]);
});

test('a warning for a schedule that needs more test runs than the daily budget', () => {
  // 0.69 runs a slot. With retests 100 proxies take 7 runs, plus one for the remainder of a slot: 12 slots.
  const proxy_tests = { urls: URLS, max_runs_per_day: 100, proxies: proxies(100) };
  expect(warnings({ proxy_tests })).toEqual([
    '  warning: proxy_tests: max_runs_per_day of 100 is too small for the schedule "*/10 * * * *": every proxy will be tested once in 2h',
  ]);
});

test('a warning for schedules that need the whole pace', () => {
  // 5 graphs every 5 seconds, and very few requests of the others: 1.04 a second, which is 80 % of 1.3.
  const traffic = { schedule: '*/5 * * * * *' };
  expect(warnings({ traffic, requests_per_second: 1.29 })).toEqual([
    '  warning: the schedules need nearly all of requests_per_second, or more',
  ]);
  expect(warnings({ traffic, requests_per_second: 1.31 })).toEqual([]);
});

test('a warning for a matrix of more series than allowed', () => {
  // 4 proxies × 2 urls × 10 testers, the assumed number.
  const proxy_tests = { urls: URLS, max_series: 79, proxies: proxies(4) };
  expect(warnings({ proxy_tests })).toEqual([
    '  warning: proxy_tests: 80 series of the matrix are above max_series of 79: there will be one series a proxy',
  ]);
  expect(warnings({ proxy_tests: { ...proxy_tests, max_series: 80 } })).toEqual([]);
});
