// Tests that the provider report has no value of any field, whatever the provider answers.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DOCUMENTED_ANSWERS } from '../../../src/provider/documented-answers/documented-answers.ts';
import type { Shape } from '../../../src/provider/documented-answers/shapes.ts';
import { answerWith, reportOf } from './reported-answers.ts';

/** A text that the report cannot contain by chance, also as a word of another text. */
const canary = fc
  .tuple(fc.nat(999), fc.constantFrom('', ' ', ':', '/', '@', 'é'))
  .map(([number, end]) => `canary_${number}${end}`);

const value = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    canary,
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(
      fc.oneof(
        fc.constantFrom('data', 'message', 'intervals', 'results', 'interval', 'total_count', 'extra'),
        canary,
      ),
      tie('json'),
    ),
  ),
})).json;

test('for any answer the report has none of its texts', () => {
  const endpoints = fc.constantFrom(...Object.keys(DOCUMENTED_ANSWERS));
  const query = fc.constantFrom({}, { page: 1, per_page: 2, sort_by: 'proxy_id' }, { interval: 'minute' });
  const status = fc.constantFrom(200, 422, 429);
  fc.assert(
    fc.property(endpoints, value, query, status, (endpoint, json, query, status) => {
      const answer = answerWith(endpoint, JSON.parse(JSON.stringify(json)), { query, status });
      expect(JSON.stringify(reportOf(answer, answer))).not.toContain('canary');
    }),
    { numRuns: 1_000 },
  );
});

/**
 * Returns answers of this shape. Any value may be absent or of another type, objects have more fields, and
 * the names of these fields and the keys of maps are canaries.
 */
const answersOf = (shape: Shape): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 9, arbitrary: shapedOf(shape) }, { weight: 1, arbitrary: value });

const shapedOf = (shape: Shape): fc.Arbitrary<unknown> => {
  if (shape.kind === 'list') return fc.array(answersOf(shape.item), { maxLength: 3 });
  if (shape.kind === 'map') return fc.dictionary(canary, answersOf(shape.value), { maxKeys: 3 });
  if (shape.kind === 'value') return canary;
  const fields = Object.entries(shape.fields).map(([name, field]) => [name, answersOf(field)] as const);
  const documented = fc.record(Object.fromEntries(fields), { requiredKeys: [] });
  return fc
    .tuple(documented, fc.dictionary(canary, value, { maxKeys: 2 }))
    .map(([object, others]) => ({ ...object, ...others }));
};

test.each(Object.entries(DOCUMENTED_ANSWERS))(
  'for any answer of %s the report has no value',
  (endpoint, shape) => {
    let named = 0;
    fc.assert(
      fc.property(answersOf(shape), (json) => {
        const report = JSON.stringify(reportOf(answerWith(endpoint, json)));
        expect(report).not.toContain('canary');
        if (report.includes('"name":"*')) named += 1;
      }),
      { numRuns: 50 },
    );
    // The canaries were there to be found.
    expect(named).toBeGreaterThan(10);
  },
);
