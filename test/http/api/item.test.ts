// Tests that the schema and the JSON of an item follow from one declaration of its fields.

import { expect, it } from 'vitest';
import { z } from 'zod';
import { count, text, time } from '../../../src/http/api/fields.ts';
import { accountItemOf, itemOf } from '../../../src/http/api/item.ts';

interface Row {
  readonly id: string;
  readonly countryId: string | null;
  readonly expiresAt: number | null;
  readonly lastSeenAt: number;
  readonly codes: readonly string[];
  readonly note?: string;
}

const row: Row = { id: 'a', countryId: 'fr', expiresAt: null, lastSeenAt: 0, codes: ['x'] };

const { schema, json } = itemOf<Row>()('Row', (from) => ({
  row_id: from(text, ({ id }) => id),
  country_id: text.nullable(),
  expires_at: time.nullable(),
  last_seen_at: time.describe('Time by the provider’s clock'),
  codes: z.array(text),
  note: text.nullable(),
  code_count: from(count, ({ codes }) => codes.length),
}));

it('reads properties of the same name, formats times, and makes missing values null', () => {
  expect(Object.entries(json(row))).toEqual([
    ['row_id', 'a'],
    ['country_id', 'fr'],
    ['expires_at', null],
    ['last_seen_at', '1970-01-01T00:00:00.000Z'],
    ['codes', ['x']],
    ['note', null],
    ['code_count', 1],
  ]);
});

it('describes exactly the fields of the JSON', () => {
  expect(schema.parse(json(row))).toEqual(json(row));
  expect(schema.meta()).toEqual({ id: 'Row' });
  expect(schema.shape.last_seen_at.description).toBe('Time by the provider’s clock');
});

it('begins an item of an account with the account', () => {
  const owned = accountItemOf<Row>()('Owned', () => ({ country_id: text.nullable() }));
  expect(JSON.stringify(owned.json('main', row))).toBe('{"account":"main","country_id":"fr"}');
  expect(Object.keys(owned.schema.shape)).toEqual(['account', 'country_id']);
});
