// Tests that the schema and the JSON of an item follow from one declaration of its fields.

import { expect, it } from 'vitest';
import { z } from 'zod';
import { accountItemOf, amount, count, itemOf, jsonOf, text, time } from '../../../src/http/api/item.ts';

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

it('converts durations, nested objects and items, and reads properties of another name', () => {
  const inner = itemOf<Row>()('Inner', (from) => ({ row_id: from(text, 'id') }));
  const outer = itemOf<{ took: number; waitMs: number | null; rows: Row[]; steps: { endsAt: number }[] }>()(
    'Outer',
    (from) => ({
      wait_seconds: amount.nullable(),
      items: from(z.array(inner.schema.describe('described')), 'rows'),
      steps: z.array(z.strictObject({ ends_at: time })),
      started_at: from(time, 'took'),
    }),
  );
  const source = { took: 0, waitMs: 1_500, rows: [row], steps: [{ endsAt: 1_000 }] };
  expect(outer.json(source)).toEqual({
    wait_seconds: 1.5,
    items: [{ row_id: 'a' }],
    steps: [{ ends_at: '1970-01-01T00:00:01.000Z' }],
    started_at: '1970-01-01T00:00:00.000Z',
  });
  expect(outer.json({ ...source, waitMs: null }).wait_seconds).toBeNull();
});

it('makes the JSON of a plain schema', () => {
  const toJson = jsonOf(z.strictObject({ last_run_at: time.nullable(), name: text }));
  expect(toJson({ lastRunAt: 0, name: 'a' })).toEqual({ last_run_at: '1970-01-01T00:00:00.000Z', name: 'a' });
});
