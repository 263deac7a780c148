// Tests the JSON Schema for editors.

import { expect, test } from 'vitest';
import { configJsonSchema, keysAt } from '../../src/config/json-schema.ts';
import { exampleSchema } from './example-schema.ts';

const schema = configJsonSchema(exampleSchema);

test('has its draft, its title and the keys reserved for anchors', () => {
  expect(schema).toMatchObject({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'proxywatch configuration',
    additionalProperties: false,
    patternProperties: { '^x-': {} },
  });
});

test('only settings without a default are required', () => {
  expect(schema.required).toEqual(['accounts']);
  expect(schema).toMatchObject({
    properties: { accounts: { items: { required: ['name'] } } },
  });
});

test('a secret may be written in either form, but not in both', () => {
  expect(schema).toMatchObject({
    properties: {
      accounts: {
        items: {
          properties: {
            private_key: { type: 'string', writeOnly: true },
            private_key_file: { type: 'string' },
          },
          allOf: [
            {
              not: { required: ['public_key', 'public_key_file'] },
              anyOf: [{ required: ['public_key'] }, { required: ['public_key_file'] }],
            },
            {},
            { not: { required: ['password', 'password_file'] } },
          ],
        },
      },
    },
  });
});

test('a setting has its description, its forms and its default as written', () => {
  expect(schema).toMatchObject({
    properties: {
      accounts: {
        items: {
          properties: {
            traffic: {
              anyOf: [
                { const: false },
                {
                  properties: {
                    reread: { default: '2h', description: 'Trailing window read again on every poll' },
                  },
                },
              ],
            },
          },
        },
      },
    },
  });
});

test('a variable may replace a number, or text with a pattern', () => {
  const reference = { type: 'string', pattern: '\\$\\{' };
  expect(schema).toMatchObject({
    properties: {
      thresholds: {
        additionalProperties: { anyOf: [{ type: 'number', minimum: 0, maximum: 1 }, reference] },
      },
    },
  });
});

test('defaults are an account without required settings', () => {
  expect(schema.properties?.defaults).toMatchObject({ properties: { base_url: {}, private_key_file: {} } });
  expect(schema.properties?.defaults).not.toHaveProperty('required');
  expect(schema.properties?.defaults).not.toHaveProperty('allOf');
});

test('the keys at a path are those of all its forms', () => {
  expect(keysAt(schema, ['accounts', 3, 'proxies', 0]).sort()).toEqual([
    'name',
    'proxy',
    'proxy_file',
    'proxy_id',
    'service_id',
  ]);
  expect(keysAt(schema, ['thresholds'])).toEqual(['QuotaLow', 'TrafficLow']);
});
