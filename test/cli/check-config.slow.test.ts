// Tests check-config: words that the provider's documentation does not have are warnings with a suggestion.

import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkConfig } from '../../src/cli/check-config.ts';
import { describeUnknownWord } from '../../src/collectors/unknown-words.ts';
import { loadSettings } from '../../src/daemon/load-settings.ts';
import {
  COUNTRY_WORDS,
  LEDGER_REASON_WORDS,
  PRODUCT_TYPE_WORDS,
  PROXY_FILTER_WORDS,
  proxyFilterValueWords,
  SUBDIVISION_WORDS,
} from '../../src/provider/documented-words.ts';
import { createFolder } from '../config/support.ts';
import { runCommand } from './run-command.ts';

const KEYS = 'name: main, public_key: public, private_key: private';

const check = async (account: string, files: Readonly<Record<string, string>> = {}, others = '') => {
  const text = `${others}accounts:\n  - {${KEYS}, ${account}}\n`;
  const folder = createFolder({ 'config.yaml': text, ...files });
  const { code, stdout, stderr } = await runCommand(checkConfig, { config: join(folder, 'config.yaml') });
  const lines = stdout.replaceAll(`${folder}/`, '').split('\n');
  return { code, stderr, lines, warnings: lines.filter((line) => /^ *warning: /.test(line)) };
};

test('a word that the documentation does not have is a warning at its place, and no mistake', async () => {
  const { code, stderr, lines, warnings } = await check(
    'traffic: {graphs: [{name: a, product_type: fibre}, {name: b, product_type: isp}]}',
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(lines[0]).toBe('config.yaml: no mistakes');
  expect(warnings).toEqual([
    'warning: config.yaml:2:103: accounts[0].traffic.graphs[0].product_type: "fibre" is not a product type in the provider\'s documentation; did you mean "datacenter", "isp", "residential" or "mobile"?',
  ]);
});

describe('the limit of requests, which is one for each customer', () => {
  const other = (name: string, more = '') => `  - {name: ${name}, private_key: other, ${more}}`;
  const pace = async (first: string, ...others: readonly string[]): Promise<string[]> =>
    (await check([`requests_per_second: ${first}}`, ...others].join('\n').replace(/\}$/, ''))).warnings;

  test('is a warning if accounts with one public key may exceed it together, in any shard', async () => {
    const keys = 'public_key: public, requests_per_second';
    expect(await pace('4', other('a', `shard: 7, ${keys}: 4`), other('b', `${keys}: 3`))).toEqual([
      expect.stringMatching(
        /^warning: config\.yaml:2:\d+: accounts\[0\]\.requests_per_second: the accounts main, a, b have the same public key, and together they may send 11 requests a second, but the provider allows 10 a second/,
      ),
    ]);
    expect(await pace('4', other('a', `shard: 7, ${keys}: 6`))).toEqual([]);
  });

  test('is a warning if one account may exceed it alone, also beside other customers', async () => {
    const warning = expect.stringMatching(
      /^warning: config\.yaml:2:\d+: accounts\[0\]\.requests_per_second: the account main may send 12 requests a second, but the provider allows 10 a second for each customer/,
    );
    expect(await pace('12')).toEqual([warning]);
    expect(await pace('12', other('a', 'shard: 7, public_key: another'))).toEqual([warning]);
    expect(await pace('10')).toEqual([]);
  });

  test('is not shared by other customers', async () => {
    expect(await pace('8', other('a', 'public_key: another'))).toEqual([]);
    expect(await pace('8', other('a', 'public_key: public, base_url: "https://other.example/1.0"'))).toEqual(
      [],
    );
  });
});

describe('host names, which the provider may summarise', () => {
  const noteOn = async (...graphs: readonly string[]): Promise<string[]> => {
    const { code, lines, warnings } = await check(`traffic: {graphs: [${graphs.join(', ')}]}`);
    expect({ code, warnings }).toEqual({ code: 0, warnings: [] });
    return lines.filter((line) => line.includes('summarise')).map((line) => line.trim());
  };
  const [shop, api] = ['{name: shop, hostname: shop.example}', '{name: api, hostname: api.shop.example}'];

  test('are named with their slices', async () => {
    expect(await noteOn(shop, api, '{name: isp, product_type: isp}')).toEqual([
      'assumption: traffic: the provider counts each request under its full host name; if there are many, it may summarise them as *.host.tld, and slices by host name (shop, api) lose this traffic. A slice of such a summary, as hostname: "*.host.tld", shows it',
    ]);
  });

  test('are not named beside a slice of their summary, or without such slices', async () => {
    const summaryOf = (host: string) => `{name: summary, hostname: "*.${host}"}`;
    expect(await noteOn(shop, api, summaryOf('shop.example'))).toEqual([]);
    expect(await noteOn('{name: isp, product_type: isp}')).toEqual([]);
    expect(await noteOn(shop, summaryOf('op.example'))).toEqual([expect.stringContaining('(shop)')]);
  });
});

test('every setting that takes such words is checked, in the order of the file', async () => {
  const { warnings } = await check(
    [
      'residential_ledger: {usage_reasons: [usage, topup]}',
      'quotes: {items: [{name: a, product_type: ISP, country_id: uk, protocol: ipv5, quantity: 1}, {name: b, product_type: isp, locations: [{country_id: Germany, quantity: 3}]}]}',
      'geography: {subdivisions: [FR-IDF, gb-eng], availability: {mobile: [gb, UK]}}',
      'proxy_tests: {urls: ["https://www.example.com/", "https://shop.example/"], proxies: [{proxy: "192.0.2.1:8000:alice:password", product_type: dc}, {search: {proxy_typ: isp, not_country_id: GB, min_asn_id: 1}}]}',
    ].join(', '),
  );
  expect(
    warnings.map((line) => /accounts\[0\]\.(.*) is not an? .* did you mean (.*)\?$/.exec(line)?.slice(1)),
  ).toEqual([
    ['residential_ledger.usage_reasons[1]: "topup"', '"top_up"'],
    ['quotes.items[0].product_type: "ISP"', '"isp"'],
    ['quotes.items[0].country_id: "uk"', '"gb"'],
    ['quotes.items[0].protocol: "ipv5"', '"ipv4"'],
    ['quotes.items[1].locations[0].country_id: "Germany"', '"de"'],
    ['geography.subdivisions[0]: "FR-IDF"', '"fr-idf"'],
    ['geography.availability.mobile[1]: "UK"', '"gb"'],
    ['proxy_tests.proxies[0].product_type: "dc"', '"datacenter", "isp", "residential" or "mobile"'],
    ['proxy_tests.proxies[1].search.proxy_typ: "proxy_typ"', '"proxy_type"'],
    ['proxy_tests.proxies[1].search.not_country_id: "GB"', '"gb"'],
  ]);
});

test('files of proxies are checked too', async () => {
  const { warnings } = await check(
    'proxy_tests: {urls: ["https://www.example.com/", "https://shop.example/"], proxies: [{file: proxies.yaml}]}',
    { 'proxies.yaml': '- {proxy: "192.0.2.1:8000:alice:password", product_type: isps}\n' },
  );
  expect(warnings).toEqual([
    '  warning: proxy_tests: proxies.yaml:1:3: [0]: "isps" is not a product type in the provider\'s documentation; did you mean "isp"?',
  ]);
});

describe('the address of the status page', () => {
  const warningsWith = async (alerts: object, server: object = {}) =>
    (await check('traffic: {}', {}, `alerts: ${JSON.stringify(alerts)}\nserver: ${JSON.stringify(server)}\n`))
      .warnings;
  const receivers = [{ type: 'webhook', url: 'http://192.0.2.1/token' }];

  test('is proposed if notifications link to a default', async () => {
    const advice = 'Set server.external_url to the address at which their readers open the status page.';
    expect(await warningsWith({ receivers })).toEqual([
      `warning: server.external_url is not set, so notifications link to http://127.0.0.1:9876/. ${advice}`,
    ]);
  });

  test.each([
    ['it is set', { receivers }, { external_url: 'https://proxywatch.example/' }],
    ['no receiver gets links', { receivers: [{ type: 'heartbeat', url: 'http://192.0.2.1/ping' }] }, {}],
    ['the receivers get no notifications', { receivers, evaluate: false }, {}],
  ])('is not proposed if %s', async (_, alerts, server) => {
    expect(await warningsWith(alerts, server)).toEqual([]);
  });
});

test('a word from the environment is not shown', () => {
  const file = join(
    createFolder({
      'config.yaml': `accounts:\n  - {${KEYS}, traffic: {graphs: [{name: a, product_type: "\${KIND}"}]}}\n`,
    }),
    'config.yaml',
  );
  const { warnings } = loadSettings(file, { KIND: 'canary' });
  expect(warnings.map(({ message }) => message)).toEqual([
    "a value from the environment is not a product type in the provider's documentation",
  ]);
});

describe('the words', () => {
  test.each([
    ['residental', PRODUCT_TYPE_WORDS, '; did you mean "residential"?'],
    ['top_ups', LEDGER_REASON_WORDS, '; did you mean "top_up"?'],
    ['colour', PROXY_FILTER_WORDS, ''],
    ['zz', COUNTRY_WORDS, ' (two lower-case letters of ISO 3166-1, such as gb)'],
    ['United States', COUNTRY_WORDS, '; did you mean "us"?'],
    [
      'paris',
      SUBDIVISION_WORDS,
      ' (the code of the country, a hyphen and the code of the subdivision, such as fr-idf)',
    ],
  ])('do not have %s', (word, vocabulary, suggestion) => {
    expect(vocabulary.has(word)).toBe(false);
    expect(describeUnknownWord({ word, vocabulary })).toBe(
      `"${word}" is not a ${vocabulary.name} in the provider's documentation${suggestion}`,
    );
  });

  test.each([
    ['gb', COUNTRY_WORDS],
    ['us-ca', SUBDIVISION_WORDS],
    ['max_proxy_last_update_datetime', PROXY_FILTER_WORDS],
    ['subnet_id', PROXY_FILTER_WORDS],
  ])('have %s', (word, vocabulary) => {
    expect(vocabulary.has(word)).toBe(true);
  });

  test('a comparison with other values than words has no vocabulary', () => {
    expect(proxyFilterValueWords('like_city_name')).toBe(undefined);
    expect(proxyFilterValueWords('not_proxy_type')).toBe(PRODUCT_TYPE_WORDS);
  });
});

test('receivers of remote write are listed by their hosts, without paths and credentials', async () => {
  const receivers = [
    { name: 'victoria', url: 'http://victoria.example.com:8428/canary/write?token=canary' },
    {
      ...{ name: 'cloud', url: 'https://cloud.example.com/canary', start: '7d', bearer_token: 'canary' },
      ...{ headers: { 'X-Key': 'canary' } },
    },
  ];
  const { code, lines } = await check('traffic: {}', {}, `remote_write: ${JSON.stringify(receivers)}\n`);
  expect(code).toBe(0);
  expect(lines.slice(0, 3)).toEqual([
    'config.yaml: no mistakes',
    'remote write victoria: victoria.example.com:8428, start now',
    'remote write cloud: cloud.example.com, start 1w',
  ]);
  expect(lines.join('\n')).not.toContain('canary');
});

test('says which accounts a public page shows without a login, and not its token', async () => {
  const token = 'canary-7c1f0a2b9d8e3f4a5b6c7d8e9f';
  const text = `server: {public: [{title: Ours, token: ${token}, accounts: [main]}]}\naccounts: [{name: main, public_key: a, private_key: b}]\n`;
  const config = join(createFolder({ 'config.yaml': text }), 'config.yaml');
  const { stdout } = await runCommand(checkConfig, { config });
  expect(stdout).toContain('public page "Ours": shows main without a login\n');
  expect(stdout).not.toContain('canary');
});
