// Tests the whole configuration: the resulting settings, and mistakes that the schema alone cannot find.

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ConfigError } from '../../src/config/config-error.ts';
import { type LoadedSettings, loadSettings } from '../../src/daemon/load-settings.ts';
import {
  type Account,
  accountSettings,
  applyReloadable,
  changedSections,
  collectorsOf,
  type Settings,
} from '../../src/daemon/settings.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/lib/time.ts';
import { configErrorOf, createFolder } from '../config/support.ts';
import { HASH, OTHER_HASH } from '../http/web-config-support.ts';

const KEYS = 'base_url: https://provider.example/1.0, public_key: pub, private_key: priv';

const load = (text: string, env = {}): Settings =>
  loadSettings(join(createFolder({ 'config.yaml': text }), 'config.yaml'), env).config;

const accountsOf = (text: string): Record<string, Account> =>
  Object.fromEntries(load(text).accounts.map((account) => [account.name, account]));

/** Returns line, path and message of each mistake. */
const mistakesIn = (text: string): [number, string, string][] => {
  const { mistakes }: ConfigError = configErrorOf(() => load(text));
  return mistakes.map(({ line, path, message }) => [line, path, message]);
};

const namesOf = (account: Account | undefined): string[] =>
  account ? collectorsOf(account).map(({ collector }) => collector.name) : [];

describe('a minimal configuration', () => {
  const LEAST = `accounts: [{name: main, ${KEYS}}]`;

  it('runs traffic, ledger and users, and tests no proxies', () => {
    expect(namesOf(accountsOf(LEAST).main)).toEqual([
      'traffic',
      'residential_ledger',
      'proxy_users',
      'reconciliation',
    ]);
  });

  it('has the defaults that are documented', () => {
    const { accounts, ...rest } = load(LEAST);
    const [account] = accounts;
    expect(rest).toMatchObject({
      server: { listen: { host: '127.0.0.1', port: 9876 } },
      metrics: { first_step_hold: 2 * MINUTE },
      log: { level: 'info', format: 'json' },
      schedule_time_zone: 'UTC',
    });
    expect(rest.store.retention).toEqual({ raw: 8 * DAY, hourly: 60 * DAY, daily: 400 * DAY });
    expect(rest.store.path).toMatch(/\/data\/proxywatch\.db$/);
    expect(account).toMatchObject({
      time_zone: 'UTC',
      response_time_unit: 'milliseconds',
      currency: 'USD',
      requests_per_second: 8,
      request_timeout: 30 * SECOND,
      parameters: { product_type: 'network', concurrency: 'show_log_concurrency' },
      traffic: {
        schedule: '* * * * *',
        interval: 'minute',
        reread: 2 * HOUR,
        deep_reread: { schedule: '35 4 * * *', span: 6 * DAY },
        window: DAY,
        catch_up: 7 * DAY,
        concurrency: true,
      },
      residential_ledger: { schedule: '*/10 * * * *', usage_reasons: ['usage'], usage_sign: 'auto' },
      proxy_users: {
        schedule: '*/5 * * * *',
        select: { ids: [], top: 0, include_deleted: false },
        max_series_users: 100_000,
        zero_limit: 'ignore',
      },
    });
    const graphs = account?.traffic === false ? [] : account?.traffic.graphs;
    expect(graphs?.map(({ name, product_type }) => [name, product_type])).toEqual(
      ['datacenter', 'isp', 'residential', 'mobile'].map((type) => [type, type]),
    );
  });
});

describe('a section', () => {
  it('that is false is off, and one that is named is on', () => {
    const { main } = accountsOf(`
accounts:
  - {name: main, ${KEYS}, traffic: false, proxy_users: false, reconciliation: false,
     proxy_tests: {urls: ["https://www.example.com/"], proxies: []}}
`);
    expect(namesOf(main)).toEqual(['residential_ledger', 'proxy_tests']);
  });

  it('cannot be true', () => {
    expect(
      mistakesIn(`\naccounts:\n  - {name: main, ${KEYS}}\n  - {name: b, ${KEYS}, traffic: true}\n`),
    ).toEqual([[4, 'accounts[1].traffic', expect.any(String)]]);
  });
});

describe('defaults', () => {
  const TEXT = `
defaults:
  time_zone: Europe/Paris
  traffic: {reread: 1h, interval: hour}
  proxy_users: false
accounts:
  - {name: a, ${KEYS}}
  - {name: b, ${KEYS}, time_zone: Asia/Tokyo, traffic: {reread: 3h}, proxy_users: {select: {top: 5}}}
`;

  it('apply to every account', () => {
    const { a } = accountsOf(TEXT);
    expect(a).toMatchObject({ time_zone: 'Europe/Paris', traffic: { reread: HOUR, interval: 'hour' } });
    expect(namesOf(a)).not.toContain('proxy_users');
  });

  it('are replaced by the values of an account, key by key', () => {
    const { b } = accountsOf(TEXT);
    expect(b).toMatchObject({
      time_zone: 'Asia/Tokyo',
      traffic: { reread: 3 * HOUR, interval: 'hour' },
      proxy_users: { select: { top: 5 } },
    });
  });
});

describe('schedules', () => {
  it('use the zone of the account, or that of the daemon if it has none', () => {
    const settings = load(`
schedule_time_zone: Europe/Paris
accounts:
  - {name: a, ${KEYS}}
  - {name: b, ${KEYS}, schedule_time_zone: Asia/Tokyo}
`);
    const zones = settings.accounts.map((each) => accountSettings(each, settings).schedule_time_zone);
    expect(zones).toEqual(['Europe/Paris', 'Asia/Tokyo']);
  });
});

describe('names', () => {
  it('of accounts are unique', () => {
    const text = `
accounts:
  - {name: main, ${KEYS}}
  - {name: other, ${KEYS}}
  - {name: main, ${KEYS}}
`;
    expect(mistakesIn(text)).toEqual([
      [5, 'accounts[2].name', 'another account has the name "main" already'],
    ]);
  });

  it('of graphs are unique', () => {
    const graphs = '[{name: shop, hostname: a.example}, {name: shop, hostname: b.example}]';
    const [mistake] = mistakesIn(`\naccounts:\n  - {name: main, ${KEYS}, traffic: {graphs: ${graphs}}}\n`);
    expect(mistake?.slice(0, 2)).toEqual([3, 'accounts[0].traffic.graphs']);
  });

  it('of proxies and urls are unique, whatever they are derived from', () => {
    const text = `
accounts:
  - name: main
    base_url: https://provider.example/1.0
    public_key: pub
    private_key: priv
    proxy_tests:
      urls:
        - https://shop.example/?token=one
        - {name: shop, url: "https://shop.example/?token=two"}
        - https://shop.example/?token=three
      proxies:
        - {proxy: "192.0.2.1:8000:alice:hunter2"}
        - {name: b, proxy: "192.0.2.2:8000:alice:hunter2"}
        - {name: "192.0.2.1:8000", proxy: "192.0.2.3:8000:alice:hunter2"}
        - {proxy_id: b, name: c, proxy: "192.0.2.4:8000:alice:hunter2"}
`;
    const mistakes = mistakesIn(text);
    expect(mistakes.map(([line, path]) => [line, path])).toEqual(
      expect.arrayContaining([
        [11, 'accounts[0].proxy_tests.urls[2]'],
        [15, 'accounts[0].proxy_tests.proxies[2]'],
        [16, 'accounts[0].proxy_tests.proxies[3]'],
      ]),
    );
    expect(mistakes).toHaveLength(3);
    expect(JSON.stringify(mistakes)).not.toMatch(/hunter2|token/);
  });
});

describe('readers', () => {
  const ACCOUNTS = `accounts: [{name: main, ${KEYS}}]`;
  const withWeb = (web: string, server: string): string => {
    const folder = createFolder({
      'web.yml': web,
      'config.yaml': `server:\n  web_config_file: web.yml\n  readers: ${server}\n${ACCOUNTS}\n`,
    });
    return join(folder, 'config.yaml');
  };
  const USERS = `basic_auth_users: {grafana: ${HASH}, anna: ${OTHER_HASH}}`;

  it('are users of web.yml', () => {
    expect(loadSettings(withWeb(USERS, '[grafana]'), {}).config.server.readers).toEqual(['grafana']);
  });

  it.each([
    ['other users', USERS],
    ['no users', 'basic_auth_users: {}'],
  ])('are a mistake if web.yml has %s', (_, web) => {
    const { mistakes } = configErrorOf(() => loadSettings(withWeb(web, '[grafana, Anna]'), {}));
    expect(mistakes.at(-1)).toMatchObject({
      line: 3,
      path: 'server.readers[1]',
      message:
        '"Anna" is not a user in basic_auth_users of server.web_config_file; add the user there, or remove the name here',
    });
  });

  it('change with a reload', () => {
    const [before, after] = ['[grafana]', '[anna]'].map((names) =>
      loadSettings(withWeb(USERS, names), {}),
    ) as [LoadedSettings, LoadedSettings];
    const reloaded = applyReloadable(before.config, after.config);
    expect(reloaded.server.readers).toEqual(['anna']);
    expect(changedSections(before.config, reloaded)).toEqual(['server.readers']);
  });

  it('are a mistake without web.yml', () => {
    expect(mistakesIn(`server:\n  readers: [grafana]\n${ACCOUNTS}\n`)).toEqual([
      [2, 'server.readers', 'this needs server.web_config_file, which has the users and their passwords'],
    ]);
  });
});

describe('public pages', () => {
  const ACCOUNTS = `accounts: [{name: main, ${KEYS}}]`;
  const TOKEN = 'canary-7c1f0a2b9d8e3f4a5b6c7d8e9f';
  const mistakesOf = (pages: string): [string, string][] =>
    mistakesIn(`server:\n  public: ${pages}\n${ACCOUNTS}\n`).map(([, path, message]) => [path, message]);

  it('have a title by default', () => {
    const [page] = load(`server: {public: [{token: ${TOKEN}, accounts: [main]}]}\n${ACCOUNTS}\n`).server
      .public;
    expect(page).toMatchObject({ title: 'Proxies', accounts: ['main'] });
    expect(page?.token.reveal()).toBe(TOKEN);
    expect(JSON.stringify(page)).not.toContain(TOKEN);
  });

  it.each([
    ['is short', TOKEN.slice(0, 31)],
    ['repeats a few characters', 'canary-canary-canary-canary-canary-'.replaceAll('r', 'a')],
    ['has a character that an address cannot have', `${TOKEN}/`],
    ['has a blank', `"${TOKEN} ${TOKEN}"`],
  ])('have no token that %s, and it is not shown', (_, token) => {
    const mistakes = mistakesOf(`[{token: ${token}, accounts: [main]}]`);
    expect(mistakes.map(([path]) => path)).toEqual(['server.public[0].token']);
    expect(JSON.stringify(mistakes)).toContain('at least 32 random letters, digits, - or _');
    expect(JSON.stringify(mistakes)).not.toContain('canary');
  });

  it('name known accounts, and have different tokens', () => {
    const page = (account: string) => `{token: ${TOKEN}, accounts: [${account}]}`;
    expect(mistakesOf(`[${page('main')}, ${page('shop')}]`)).toEqual([
      ['server.public[1].accounts[0]', 'no account has the name "shop"'],
      ['server.public[1].token', 'another public page has the same token'],
    ]);
    expect(mistakesOf(`[{token: ${TOKEN}, accounts: []}]`)).toEqual([
      ['server.public[0].accounts', 'expected at least one account, found an empty list'],
    ]);
  });
});

it('uses the address of Byteful unless the account or the defaults have another', () => {
  const text = `
defaults: {public_key: pub, private_key: priv}
accounts: [{name: byteful}, {name: other, base_url: "https://provider.example/1.0"}]
`;
  const addresses = (configuration: string) => load(configuration).accounts.map(({ base_url }) => base_url);
  expect(addresses(text)).toEqual(['https://api.byteful.com/1.0', 'https://provider.example/1.0']);
  expect(addresses(text.replace('{public_key', '{base_url: "https://all.example/1.0", public_key'))).toEqual([
    'https://all.example/1.0',
    'https://provider.example/1.0',
  ]);
});

describe('defaults of the environment', () => {
  const env = { PROXYWATCH_LISTEN: '0.0.0.0:9876', PROXYWATCH_STORE: '/data/proxywatch.db' };
  const LEAST = `accounts: [{name: main, ${KEYS}}]`;

  it('apply if the file has no value', () => {
    const { server, store } = load(LEAST, env);
    expect([server.listen, store.path]).toEqual([{ host: '0.0.0.0', port: 9876 }, '/data/proxywatch.db']);
  });

  it('are replaced by the values of the file', () => {
    const { server, store } = load(`{server: {listen: ":1"}, store: {path: /other.db}, ${LEAST}}`, env);
    expect([server.listen.port, store.path]).toEqual([1, '/other.db']);
  });
});

describe('mistakes', () => {
  it('of the schema are reported all at once', () => {
    const text = `
server: {listen: somewhere}
accounts:
  - {name: "a b", ${KEYS}, traffic: {schedule: "every minute", interval: day}}
  - {name: c, base_url: "ftp://provider.example", public_key: pub}
`;
    expect(mistakesIn(text).map(([line, path]) => [line, path])).toEqual([
      [2, 'server.listen'],
      [4, 'accounts[0].name'],
      [4, 'accounts[0].traffic.schedule'],
      [4, 'accounts[0].traffic.interval'],
      [5, 'accounts[1].private_key'],
      [5, 'accounts[1].base_url'],
    ]);
  });

  it('hold no secret', () => {
    const text = `accounts: [{name: main, ${KEYS}, proxy_tests: {urls: [], proxies: ["1.2.3.4:80:u:hunter2"]}}]`;
    expect(JSON.stringify(mistakesIn(text))).not.toContain('hunter2');
  });
});
