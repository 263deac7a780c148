// Tests that the configuration reference has every setting with its default, and that its examples are valid.

import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { configJsonSchema } from '../../src/config/json-schema.ts';
import { loadSettings } from '../../src/daemon/load-settings.ts';
import { settingsSchema } from '../../src/daemon/settings.ts';
import { loadWebConfig } from '../../src/http/web-config/load.ts';
import { webConfigSchema } from '../../src/http/web-config/schema.ts';
import { createFolder } from '../config/support.ts';
import { CERTIFICATES, HASH } from '../http/web-config-support.ts';
import { settingsIn, settingsOf } from './config-keys.ts';
import { codeBlocksIn, codeWordsOf, proseOf, tableRowsOf, textOf } from './documents.ts';

const PAGE = 'docs/reference/configuration.md';
const ACCOUNT = 'setting of an account';
/** Stands for every alert. */
const AN_ALERT = 'alerts.<Alert>';

interface Row {
  /** Such as `accounts[].traffic.schedule`. */
  readonly setting: string;
  /** The cell of the table. */
  readonly default: string;
}

/** A row describes one setting, or several with the same meaning. */
const rowsIn = (markdown: string): Row[] =>
  tableRowsOf(markdown).flatMap((row) => {
    const settings = [
      ...codeWordsOf(row.setting ?? ''),
      ...codeWordsOf(row[ACCOUNT] ?? '').map((setting) => `accounts[].${setting}`),
    ];
    return settings.map((setting) => ({ setting, default: row.default ?? '' }));
  });

const ROWS = rowsIn(textOf(PAGE));
const SCHEMA = configJsonSchema(settingsSchema);
const SETTINGS = settingsOf(SCHEMA);

/** An alert's settings are in a table of their own, and those of all accounts are those of an account. */
const isOnThePage = (setting: string): boolean => !/\balerts\.[A-Z]|^defaults\./.test(setting);

test('the page has every setting, and no other', () => {
  const documented = new Set(ROWS.map(({ setting }) => setting));
  const known = [...SETTINGS.keys()].filter(isOnThePage);
  expect(known.length).toBeGreaterThan(100);
  // A secret may be in a file of its own, which the page explains once.
  const hasRow = (setting: string) =>
    documented.has(setting) || documented.has(setting.replace(/_file$/, ''));
  // The page says once that the items of both lists of proxies are the same.
  const isExplained = (setting: string) =>
    hasRow(setting) || hasRow(setting.replace('.probes.proxies[]', '.proxy_tests.proxies[]'));
  const hasSettings = (setting: string) =>
    known.some((other) => other.startsWith(`${setting}.`) || other.startsWith(`${setting}[].`));
  const missing = known.filter((setting) => !isExplained(setting) && !hasSettings(setting));
  expect(missing, `add rows for these settings to ${PAGE}`).toEqual([]);
  expect([...documented].filter((setting) => !SETTINGS.has(setting) && setting !== AN_ALERT)).toEqual([]);
});

test('the JSON Schema describes every setting', () => {
  const undescribed = [...settingsIn(SCHEMA)].filter(([, { description, not }]) => !description && !not);
  expect(undescribed.map(([setting]) => setting)).toEqual([]);
});

const WITH_DEFAULT = ROWS.filter(({ setting }) => SETTINGS.get(setting) !== undefined);

test.each(WITH_DEFAULT)('the default of $setting is $default', ({ setting, default: shown }) => {
  const [text = ''] = codeWordsOf(shown);
  const value = SETTINGS.get(setting);
  if (setting === 'accounts[].traffic.graphs')
    return expect(codeWordsOf(shown)).toEqual((value as { name: string }[]).map(({ name }) => name));
  expect(parse(text)).toEqual(value);
});

test('defaults are given only for settings that have one', () => {
  const computed = [
    'alerts.evaluate',
    'accounts[].traffic.graphs[].schedule',
    'accounts[].schedule_time_zone',
  ];
  const given = ROWS.filter(({ default: shown }) => /^`/.test(shown)).map(({ setting }) => setting);
  expect(
    given.filter((setting) => SETTINGS.get(setting) === undefined && !computed.includes(setting)),
  ).toEqual([]);
});

const ENVIRONMENT = { PROXY_PUBLIC_KEY: 'public', SHOP_TOKEN: 'secret', PROXY_PASSWORD: 'password' };
const ACCOUNTS = [{ name: 'main', public_key: 'public', private_key: 'private' }];
const GLOBAL = [
  'server',
  'store',
  'metrics',
  'log',
  'schedule_time_zone',
  'defaults',
  'alerts',
  'remote_write',
  'accounts',
];

const FILES = {
  'web.yml': `basic_auth_users: {grafana: ${HASH}}`,
  'secrets/public_token': 'token-0123456789abcdef0123456789',
};
const BLOCKS = codeBlocksIn(PAGE).filter(({ language }) => language === 'yaml');
const EXAMPLES = BLOCKS.filter(({ text }) => !text.includes('tls_server_config'));

/** Completes the example: the global settings need an account, and the settings of an account need its keys. */
const completed = (text: string): object => {
  const example = parse(text) as Record<string, unknown>;
  const isGlobal = Object.keys(example).every((key) => GLOBAL.includes(key));
  return isGlobal ? { accounts: ACCOUNTS, ...example } : { accounts: [{ ...ACCOUNTS[0], ...example }] };
};

test.each(EXAMPLES)('the example at $place loads', ({ text }) => {
  const config = stringify(completed(text)).replaceAll('/run/secrets/proxy_private_key', 'key');
  const folder = createFolder({ key: 'secret', ...FILES, 'config.yaml': config });
  expect(loadSettings(join(folder, 'config.yaml'), ENVIRONMENT).warnings).toEqual([]);
});

test('the keys of web.yml are documented, and the example is valid', () => {
  const [example] = BLOCKS.filter(({ text }) => text.includes('tls_server_config'));
  const folder = createFolder({
    'web.yml': example?.text ?? '',
    'server.pem': '',
    'server.key': '',
    'ca.pem': '',
  });
  for (const name of ['server.pem', 'server.key', 'ca.pem'])
    copyFileSync(join(CERTIFICATES, name), join(folder, name));
  expect(loadWebConfig(join(folder, 'web.yml')).users.size).toBe(1);
  const { properties = {} } = z.toJSONSchema(webConfigSchema, { io: 'input', unrepresentable: 'any' });
  const { tls_server_config: tls } = properties as Record<string, { properties?: object }>;
  const words = codeWordsOf(proseOf(textOf(PAGE)));
  const known = [
    'basic_auth_users',
    'http_server_config.headers',
    'rate_limit',
    ...Object.keys(tls?.properties ?? {}),
  ];
  expect(known.length).toBeGreaterThan(12);
  expect(known.filter((key) => !words.includes(key))).toEqual([]);
});
