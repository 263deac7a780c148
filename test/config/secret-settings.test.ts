// Tests that every secret of the real configuration can be written as a file.

import { expect, test } from 'vitest';
import { configJsonSchema } from '../../src/config/json-schema.ts';
import { settingsSchema } from '../../src/daemon/settings.ts';
import { settingsIn } from '../docs/config-keys.ts';

const SETTINGS = settingsIn(configJsonSchema(settingsSchema));
const NAMES = new Set(SETTINGS.map(([name]) => name));
const hidden = [...new Set(SETTINGS.filter(([, { writeOnly }]) => writeOnly).map(([name]) => name))];

/** Errors do not show these addresses, whose queries may hold a token, but links and logs do. */
const SHOWN_ELSEWHERE = /\.(base_url|external_url|docs_url|dashboard_url)$/;

test('every secret has a setting for its file', () => {
  const secrets = hidden.filter((name) => !SHOWN_ELSEWHERE.test(name));
  expect(secrets).toEqual(expect.arrayContaining(['accounts[].private_key', 'alerts.receivers[].secret']));
  expect(secrets.filter((name) => !NAMES.has(`${name}_file`))).toEqual([]);
});

test('every setting with the name of a secret is one', () => {
  const named = [...NAMES].filter((name) => /(password|token|secret|_key|\bproxy|\burl)$/.test(name));
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((name) => !hidden.includes(name))).toEqual([]);
});
