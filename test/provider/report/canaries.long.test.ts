// Searches the provider report of a daemon for canaries, which are planted in answers, keys and names.

import { describe, expect, test } from 'vitest';
import type { ProviderReport } from '../../../src/http/provider-report.ts';
import { type PlantedFault, rewriteJson } from '../../support/faulty-provider.ts';
import { watchProvider } from './watched-provider.ts';

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A date or datetime, without which the daemon would stop to read. */
const TIME = /^\d{4}-\d\d-\d\d/;
let canaries = 0;

/** Returns the value with a new canary in place of each text. */
const withCanaries = (value: unknown, mayReplace: (text: string) => boolean): unknown => {
  if (typeof value === 'string' && mayReplace(value)) {
    canaries += 1;
    return `canary_${canaries}`;
  }
  if (Array.isArray(value)) return value.map((item) => withCanaries(item, mayReplace));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, withCanaries(inner, mayReplace)]),
  );
};

const inAllTexts =
  (mayReplace: (text: string) => boolean): PlantedFault['react'] =>
  (answer) =>
    rewriteJson(answer, (json) => withCanaries(json, mayReplace));

/** Each object gets fields that are named by its own texts, and metadata with names that are data. */
const withNamesThatAreData = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withNamesThatAreData);
  if (!isObject(value)) return value;
  const texts = Object.values(value).filter((each) => typeof each === 'string');
  return {
    ...Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withNamesThatAreData(inner)])),
    ...Object.fromEntries(texts.map((text) => [text, 1])),
    ...{ canary_public_key: 1, canary_private_key: 2 },
    ...{ proxy_user_metadata: { canary_team: 1 }, service_metadata: { canary_shop: 1 } },
  };
};

type EndpointReport = ProviderReport['accounts'][number]['endpoints'][number];

/** Returns the endpoints, and fails if the answers were not compared. */
const comparedIn = (report: ProviderReport): EndpointReport[] => {
  const endpoints = report.accounts[0]?.endpoints ?? [];
  expect(endpoints.length).toBeGreaterThan(5);
  for (const { compared_answers, errors, bytes } of endpoints) {
    expect(compared_answers + errors.compared_answers).toBeGreaterThan(0);
    expect(bytes?.min).toBeGreaterThan(0);
  }
  return endpoints;
};

const namesOf = ({ unknown_fields, errors }: EndpointReport): string[] =>
  [...unknown_fields, ...errors.unknown_fields].flatMap(({ named }) => named.map(({ name }) => name));

/** Whether the report tells that the canaries were there, without naming any. */
type Trace = (endpoint: EndpointReport) => boolean;

const hasUnknownNames: Trace = (endpoint) => namesOf(endpoint).some((name) => name.includes('*'));
const hasOtherTexts: Trace = ({ fields }) =>
  fields.some(({ other_types, unknown_words }) => (other_types.text ?? 0) > 0 || unknown_words > 0);
const hasOtherData: Trace = ({ fields, unknown_fields }) => fields.length > 0 || unknown_fields.length > 0;

describe('a canary search finds nothing', () => {
  test.each<[string, PlantedFault['react'], Trace]>([
    ['if all texts but times are canaries', inAllTexts((text) => !TIME.test(text)), hasOtherTexts],
    ['if all texts are canaries', inAllTexts(() => true), hasOtherTexts],
    [
      'if keys of objects are data',
      (answer) =>
        rewriteJson(answer, (json) => withNamesThatAreData(withCanaries(json, (text) => !TIME.test(text)))),
      hasUnknownNames,
    ],
    [
      'if lists are maps by data',
      (answer) =>
        rewriteJson(answer, (json) => ({ ...(json as Json), data: { canary_map: (json as Json).data } })),
      hasOtherData,
    ],
    [
      'if errors quote data',
      (answer) => ({
        ...rewriteJson(answer, () => ({
          message: 'canary',
          canary: 'canary',
          error: { canary_text: 'canary' },
        })),
        status: 422,
      }),
      hasUnknownNames,
    ],
  ])('%s', { timeout: 60_000 }, async (_, react, hasTrace) => {
    const report = await watchProvider(react);
    const endpoints = comparedIn(report);
    expect(endpoints.filter(hasTrace).length).toBeGreaterThan(4);
    expect(JSON.stringify(report)).not.toMatch(/canary/i);
  });
});

test('a search for numbers finds nothing', { timeout: 60_000 }, async () => {
  const numbersIn = (value: unknown): unknown => {
    if (typeof value === 'number') return 86_753_090_000 + (value % 1_000);
    if (Array.isArray(value)) return value.map(numbersIn);
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, numbersIn(inner)]));
  };
  const report = await watchProvider((answer) => rewriteJson(answer, numbersIn));
  const graph = comparedIn(report).find(({ endpoint }) => endpoint === 'analytics/graph');
  expect(graph?.totals.some(({ different }) => different > 0)).toBe(true);
  expect(JSON.stringify(report)).not.toContain('86753090');
});
