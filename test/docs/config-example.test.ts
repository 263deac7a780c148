// Tests that the example configuration loads, shows the defaults and contains every key.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import type { CollectorName } from '../../src/collectors/context.ts';
import { optionalSections } from '../../src/collectors/index.ts';
import { configJsonSchema } from '../../src/config/json-schema.ts';
import { loadSettings } from '../../src/daemon/load-settings.ts';
import { settingsSchema } from '../../src/daemon/settings.ts';
import { createFolder } from '../config/support.ts';
import { HASH } from '../http/web-config-support.ts';
import { keysOf, settingsOf } from './config-keys.ts';
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
  HOOK_TOKEN: 'token',
  PAGERDUTY_KEY: 'key',
  RECEIVER_PASSWORD: 'password',
  RECEIVER_TOKEN: 'token',
  SMTP_URL: 'smtp://user:password@mail.example.com',
};
const MINIMAL = `
accounts:
  - {name: main, public_key: public, private_key: private}
`;

/** Sections that are off by default, with only their required settings. */
const ENABLED_SECTIONS = {
  ...optionalSections(),
  proxy_tests: { urls: ['https://www.example.com/'] },
  probes: { urls: ['https://www.example.com/'] },
};

/** Settings that have no default, or another one than the example shows. */
const SHOWN_EXAMPLES: Readonly<Partial<Record<CollectorName, object>>> = {
  proxy_tests: { urls: [], proxies: [] },
  probes: { urls: [], proxies: [], control: undefined, exit: undefined },
  quotes: { items: [] },
  request_log: { client_addresses: undefined },
};

/** Alerts are in docs/alerts.md, all with the same keys. */
const ALERT = /\balerts\.[A-Z]/;

/** Either a key or its file may be given, not both. */
const KEY_FILES = /^ *#\w+_key_file: .*\n/gm;

/** Removes the # from settings that are commented out, which directly follow it. */
const uncomment = (text: string): string => text.replaceAll(/^( *)#(?=[^ \n])/gm, '$1');

test('the example loads, and shows the default of every setting that has one', () => {
  const folder = createFolder({ 'example.yaml': EXAMPLE, 'minimal.yaml': MINIMAL });
  const load = (name: string) => loadSettings(join(folder, name), ENVIRONMENT).config;
  expect(plain(load('example.yaml'))).toEqual(plain(load('minimal.yaml')));
});

test('the commented-out settings load too, and show the defaults of the sections that they turn on', () => {
  const folder = createFolder({
    'example.yaml': uncomment(EXAMPLE.replaceAll(KEY_FILES, '')),
    'minimal.yaml': MINIMAL.replace('}', `, ${JSON.stringify(ENABLED_SECTIONS).slice(1)}`),
    'secrets/api_url': 'https://api.example.com/',
    'web.yml': `basic_auth_users: {grafana: ${HASH}}\n`,
    'secrets/public_token': 'token-0123456789abcdef0123456789',
    'secrets/fr_2': '192.0.2.11:8000:alice:password',
    'secrets/telegram': 'https://api.telegram.org/bot123456:token/sendMessage',
    'body.json': '{}',
    'client.pem': 'certificate',
    'client.key': 'key',
    'ca.pem': textOf('test/fixtures/certificates/ca.pem'),
  });
  const enabledSectionsIn = (name: string) => {
    const [account] = loadSettings(join(folder, name), ENVIRONMENT).config.accounts;
    const sections = (Object.keys(ENABLED_SECTIONS) as CollectorName[]).map((section) => [
      section,
      { ...account?.[section], ...SHOWN_EXAMPLES[section] },
    ]);
    return plain(Object.fromEntries(sections));
  };
  expect(enabledSectionsIn('example.yaml')).toEqual(enabledSectionsIn('minimal.yaml'));
});

test('the example contains every key of the schema', () => {
  const shown = new Set(keysOf(parse(uncomment(EXAMPLE))));
  const known = [...settingsOf(configJsonSchema(settingsSchema)).keys()].filter(
    (key) => !key.startsWith('defaults.') && !ALERT.test(key),
  );
  expect(known.length).toBeGreaterThan(60);
  // Every secret may also be given as a file, and some are only shown in this form.
  const isShown = (key: string) =>
    shown.has(key) || shown.has(key.replace(/_file$/, '')) || shown.has(`${key}_file`);
  const missing = known.filter((key) => !isShown(key));
  expect(missing, 'add these settings to config.example.yaml, with their defaults').toEqual([]);
});

const plain = (value: unknown): Record<string, unknown> => JSON.parse(JSON.stringify(value));
