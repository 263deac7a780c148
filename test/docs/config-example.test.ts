// The example of the configuration: it loads, shows the defaults, and leaves no key out.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { configJsonSchema, type JsonSchema } from '../../src/config/json-schema.ts';
import { loadSettings, settingsSchema } from '../../src/daemon/settings.ts';
import { folderOf } from '../config/support.ts';
import { textOf } from './documents.ts';

const EXAMPLE = textOf('config.example.yaml');
const ENVIRONMENT = {
  PROXY_PUBLIC_KEY: 'public',
  PROXY_PRIVATE_KEY: 'private',
  SHOP_TOKEN: 'token',
  PROXY_PASSWORD: 'password',
  ALERTMANAGER_PASSWORD: 'password',
  ALERTMANAGER_TOKEN: 'token',
  HOOK_SECRET: 'secret',
};
const MINIMAL = `
accounts:
  - {name: main, base_url: "https://provider.example/1.0", public_key: public, private_key: private}
`;

/** What is off until named, with no more than it must have. */
const TURNED_ON =
  ', proxy_tests: {urls: ["https://www.example.com/"]}, catalog: {}, quotes: {}, geography: {}}';

/** Alerts are in docs/alerts.md, all with the same keys. */
const ALERT = /\balerts\.[A-Z]/;

/** Either a key or its file may be given, not both. */
const KEY_FILES = /^ *#\w+_key_file: .*\n/gm;

/** Takes in what is commented out: a # with a setting right behind it. */
const takeIn = (text: string): string => text.replaceAll(/^( *)#(?=[^ \n])/gm, '$1');

test('the example loads, and shows the default of everything that has one', () => {
  const folder = folderOf({ 'example.yaml': EXAMPLE, 'minimal.yaml': MINIMAL });
  const load = (name: string) => loadSettings(join(folder, name), ENVIRONMENT).config;
  expect(plain(load('example.yaml'))).toEqual(plain(load('minimal.yaml')));
});

test('what the example has commented out loads too, with the defaults of what it turns on', () => {
  const folder = folderOf({
    'example.yaml': takeIn(EXAMPLE.replaceAll(KEY_FILES, '')),
    'minimal.yaml': MINIMAL.replace('}', TURNED_ON),
    'secrets/api_url': 'https://api.example.com/',
    'web.yml': 'basic_auth_users: {}\n',
    'secrets/fr_2': '192.0.2.11:8000:alice:password',
  });
  const turnedOnIn = (name: string) => {
    const [account] = loadSettings(join(folder, name), ENVIRONMENT).config.accounts;
    return plain({
      proxy_tests: { ...account?.proxy_tests, urls: [], proxies: [] },
      catalog: account?.catalog,
      quotes: { ...account?.quotes, items: [] },
      geography: account?.geography,
    });
  };
  expect(turnedOnIn('example.yaml')).toEqual(turnedOnIn('minimal.yaml'));
});

test('every key of the schema stands in the example', () => {
  const shown = keysOf(parse(takeIn(EXAMPLE)));
  const known = schemaKeysOf(configJsonSchema(settingsSchema)).filter(
    (key) => !key.startsWith('defaults.') && !ALERT.test(key),
  );
  expect(known.length).toBeGreaterThan(60);
  // Any secret may stand in a file.
  const isShown = (key: string) => shown.has(key) || shown.has(key.replace(/_file$/, ''));
  expect(known.filter((key) => !isShown(key))).toEqual([]);
});

const plain = (value: unknown): Record<string, unknown> => JSON.parse(JSON.stringify(value));

/** Paths of all keys, such as `accounts.traffic.graphs.name`: items of a list share them. */
const keysOf = (value: unknown, path = ''): Set<string> => {
  if (Array.isArray(value)) return new Set(value.flatMap((item) => [...keysOf(item, path)]));
  if (typeof value !== 'object' || value === null) return new Set();
  return new Set(
    Object.entries(value).flatMap(([key, inner]) => [path + key, ...keysOf(inner, `${path}${key}.`)]),
  );
};

/** The same of a schema, over all forms that a value may have. */
const schemaKeysOf = (schema: JsonSchema, path = ''): string[] => [
  ...Object.entries(schema.properties ?? {}).flatMap(([key, inner]) => [
    path + key,
    ...schemaKeysOf(inner as JsonSchema, `${path}${key}.`),
  ]),
  ...[schema.items, ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap((inner) =>
    typeof inner === 'object' ? schemaKeysOf(inner as JsonSchema, path) : [],
  ),
];
