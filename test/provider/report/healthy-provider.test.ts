// Tests that the report of the simulator has no deviation, and that its answers have the documented fields.

import { beforeAll, expect, test } from 'vitest';
import type { ProviderReport } from '../../../src/http/provider-report.ts';
import { DOCUMENTED_ANSWERS } from '../../../src/provider/documented-answers/documented-answers.ts';
import {
  childrenOf,
  fieldsOf,
  joinPath,
  type Shape,
} from '../../../src/provider/documented-answers/shapes.ts';
import { jsonOf } from '../../support/faulty-provider.ts';
import { watchProvider } from './watched-provider.ts';

/** Documented fields that the simulator's answers to the daemon do not have. */
const NOT_SIMULATED = {
  'service/retrieve': ['data.subscription_schedule_id'],
};
/**
 * The daemon requests a proxy only if it is configured by its id, and services as a listing only with a setting; the answers
 * are as those of `proxy/search` and `service/retrieve`. Only doctor requests products.
 */
const NOT_REQUESTED = ['service/search', 'proxy/retrieve', 'product/search'];

/** Adds the documented paths that the value has. */
const addPaths = (paths: Set<string>, value: unknown, shape: Shape, path = ''): void => {
  if (value === undefined) return;
  paths.add(path);
  for (const [step, child] of childrenOf(shape)) {
    const inner = step === '[]' || step === '{}' ? Object.values(value ?? {}) : [(value as never)?.[step]];
    for (const each of inner) addPaths(paths, each, child, joinPath(path, step));
  }
};

let report: ProviderReport;
const pathsByEndpoint = new Map<string, Set<string>>();

beforeAll(async () => {
  report = await watchProvider((answer, { endpoint }) => {
    const shape = DOCUMENTED_ANSWERS[endpoint];
    const paths = pathsByEndpoint.get(endpoint) ?? new Set<string>();
    pathsByEndpoint.set(endpoint, paths);
    if (shape) addPaths(paths, jsonOf(answer), shape);
    return answer;
  });
}, 60_000);

test('the report of a healthy provider has no deviation', async () => {
  const measured = ['clock_ahead_seconds', 'bytes', 'seconds'];
  const text = JSON.stringify(
    report,
    (name, value) => (measured.includes(name) && value !== null ? 'measured' : value),
    2,
  );
  await expect(`${text}\n`).toMatchFileSnapshot('healthy-provider.json');
});

test.each(Object.keys(DOCUMENTED_ANSWERS).filter((endpoint) => !NOT_REQUESTED.includes(endpoint)))(
  'the simulator has every documented field of %s',
  (endpoint) => {
    const documented = fieldsOf(DOCUMENTED_ANSWERS[endpoint] as Shape).map(({ path }) => path);
    const missing = documented.filter((path) => !pathsByEndpoint.get(endpoint)?.has(path));
    expect(missing).toEqual((NOT_SIMULATED as Record<string, string[]>)[endpoint] ?? []);
  },
);

test('the daemon requests every other documented endpoint', () => {
  const others = Object.keys(DOCUMENTED_ANSWERS).filter((endpoint) => !pathsByEndpoint.has(endpoint));
  expect(others).toEqual(NOT_REQUESTED);
});
