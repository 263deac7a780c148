// Tests that the page about the provider report has a valid example, and that the API reference explains every field.

import { expect, test } from 'vitest';
import { z } from 'zod';
import { providerReport } from '../../src/http/provider-report.ts';
import { VALUE_TYPES } from '../../src/provider/documented-answers/shapes.ts';
import { OBSERVED_TYPES } from '../../src/provider/report/value-types.ts';
import { codeBlocksIn, textOf } from './documents.ts';

const REFERENCE = textOf('docs/reference/api.md').split('### Provider report')[1]?.split('\n## ')[0] ?? '';

test('the example matches the schema', () => {
  const [example] = codeBlocksIn('docs/how-to/troubleshoot.md').filter(({ language }) => language === 'json');
  expect(providerReport.parse(JSON.parse(example?.text ?? ''))).toMatchObject({ accounts: [{ account: 1 }] });
});

/** Explained by their names, or only in the example. */
const PLAIN = ['about', 'version', 'accounts', 'endpoint', 'name', 'types', 'rule', 'compared', 'different'];

test('the reference explains every field', () => {
  const names = JSON.stringify(z.toJSONSchema(providerReport)).matchAll(/"required":\[([^\]]*)\]/g);
  const fields = new Set([...names].flatMap(([, list = '']) => list.replaceAll('"', '').split(',')));
  const missing = [...fields].filter((name) => !PLAIN.includes(name) && !REFERENCE.includes(`\`${name}\``));
  expect(missing).toEqual([]);
});

test('the reference has every type of a value', () => {
  const types = new Set<string>([...VALUE_TYPES, ...OBSERVED_TYPES]);
  expect([...types].filter((type) => !REFERENCE.includes(`\`${type}\``) && type !== 'null')).toEqual([]);
});
