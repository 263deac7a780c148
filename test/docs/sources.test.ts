// Tests that the metrics reference says for every documented field of the provider in which field of the API it is, or why it is not kept.

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

interface Resource {
  /** Schemas of the API that have the fields of the resource. */
  readonly schemas: readonly string[];
  /** What the page says about each field that is an exception. */
  readonly exceptions: ReadonlyMap<string, string>;
}

/** Returns the field and what the page says about it. */
const exceptionIn = (text: string): [string, string][] => {
  const [, field, shows = ''] = /^`(\w+)`: (.*)/.exec(text) ?? [];
  return field === undefined ? [] : [[field, shows]];
};

const RESOURCES = new Map<string, Resource>(
  tableRowsOf(SOURCES).map(({ resource = '', exceptions = '' }) => [
    resource.split(':')[0] ?? '',
    {
      schemas: codeWordsOf(resource),
      exceptions: new Map(exceptions.split('; ').flatMap(exceptionIn)),
    },
  ]),
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

/** Returns whether a schema has the field under its name without its first words, as the page says. */
const isInSchema = (field: string, schema: string): boolean => {
  const words = field
    .replace('_creation_datetime', '_created_at')
    .replace('_last_update_datetime', '_updated_at')
    .split('_');
  return words.some((_, index) => words.slice(index).join('_') in (SCHEMAS[schema]?.properties ?? {}));
};

it('every documented resource has a row', () => {
  expect([...RESOURCES.keys()].toSorted()).toEqual(Object.keys(FIELDS).toSorted());
});

describe.each(Object.keys(FIELDS))('%s', (resource) => {
  const { schemas = [], exceptions = new Map<string, string>() } = RESOURCES.get(resource) ?? {};
  const fields = FIELDS[resource] ?? [];

  it('has every documented field, in a schema or as an exception', () => {
    const missing = fields.filter(
      (field) => !exceptions.has(field) && !schemas.some((schema) => isInSchema(field, schema)),
    );
    expect(missing).toEqual([]);
    expect([...exceptions.keys()].filter((field) => !fields.includes(field))).toEqual([]);
  });

  it('names existing families or fields, or says why the field is not kept', () => {
    const kept = [...exceptions].filter(([, shows]) => !/^not kept, \w/.test(shows));
    expect(kept.flatMap(([field, shows]) => unknownIn(shows).map((word) => [field, word]))).toEqual([]);
  });
});

it('an unknown name is detected', () => {
  expect(unknownIn('`proxywatch_traffic_bytes_total`, `TrafficPoint.at`')).toEqual([]);
  expect(unknownIn('`proxywatch_proxy_info` (label `status`)')).toEqual([]);
  const wrong = ['proxywatch_nothing_total', 'TrafficPoint.nothing', 'nothing'];
  expect(unknownIn(wrong.map((word) => `\`${word}\``).join(' '))).toEqual(wrong);
});
