// Tests that the metrics reference says for every documented field of the provider where it is shown, or why it is not.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FAMILIES } from '../../src/collectors/index.ts';
import { openApiOf } from '../../src/http/api/openapi.ts';
import { API_ROUTES } from '../../src/http/api/routes.ts';
import { codeWordsOf, ROOT, tableRowsOf, textOf } from './documents.ts';

const FIELDS: Readonly<Record<string, readonly string[]>> = JSON.parse(
  readFileSync(join(ROOT, 'test/fixtures/provider-fields.json'), 'utf8'),
);
const SOURCES = textOf('docs/reference/metrics.md').split('\n## Sources\n')[1] ?? '';

/** The table rows of each resource. */
const TABLES = new Map(
  SOURCES.split(/^### /m)
    .slice(1)
    .map((section) => [section.split('\n')[0] ?? '', tableRowsOf(section)]),
);

const FAMILY_LABELS = new Map(FAMILIES.map(({ name, labels }) => [name, labels as readonly string[]]));
const SCHEMAS = openApiOf(API_ROUTES, [], '0.0.0').components.schemas as Record<
  string,
  { properties: object }
>;

/** Returns the words of a cell that are neither a family, nor one of its labels, nor a field of the API. */
const unknownIn = (cell: string): string[] => {
  const words = codeWordsOf(cell);
  const labels = words.flatMap((word) => FAMILY_LABELS.get(word) ?? []);
  return words.filter((word) => {
    const [schema = '', field = ''] = word.split('.');
    if (FAMILY_LABELS.has(word)) return false;
    return field === '' ? !labels.includes(word) : !(field in (SCHEMAS[schema]?.properties ?? {}));
  });
};

it('every documented resource has a table', () => {
  expect([...TABLES.keys()].toSorted()).toEqual(Object.keys(FIELDS).toSorted());
});

describe.each(Object.keys(FIELDS))('%s', (resource) => {
  const rows = (TABLES.get(resource) ?? []).map((row) => ({
    field: codeWordsOf(row['provider’s field'] ?? '').join(),
    shows: row['shows as'] ?? '',
  }));

  it('has every documented field once, and no other', () => {
    expect(rows.map(({ field }) => field).toSorted()).toEqual([...(FIELDS[resource] ?? [])].toSorted());
  });

  it('names existing families or fields, or says why the field is not kept', () => {
    const kept = rows.filter(({ shows }) => !/^not kept: \w/.test(shows));
    expect(kept.flatMap(({ field, shows }) => unknownIn(shows).map((word) => [field, word]))).toEqual([]);
    expect(kept.filter(({ shows }) => codeWordsOf(shows).length === 0)).toEqual([]);
  });
});

it('an unknown name is detected', () => {
  expect(unknownIn('`proxywatch_traffic_bytes_total`, `TrafficPoint.at`')).toEqual([]);
  expect(unknownIn('`proxywatch_proxy_info` (label `status`)')).toEqual([]);
  const wrong = ['proxywatch_nothing_total', 'TrafficPoint.nothing', 'nothing'];
  expect(unknownIn(wrong.map((word) => `\`${word}\``).join(' '))).toEqual(wrong);
});
