// Tests that the provider report names every planted deviation, and none of them for a healthy provider.

import { beforeAll, describe, expect, test } from 'vitest';
import { COLLECTORS } from '../../../src/collectors/index.ts';
import type { ProviderReport } from '../../../src/http/provider-report.ts';
import { DOCUMENTED_ANSWERS } from '../../../src/provider/documented-answers/documented-answers.ts';
import { applyTo, plantedDeviations } from './planted-deviations.ts';
import { watchProvider } from './watched-provider.ts';

const DEVIATIONS = plantedDeviations();

type EndpointReport = ProviderReport['accounts'][number]['endpoints'][number];

const endpointIn = ({ accounts }: ProviderReport, name: string): EndpointReport => {
  const found = accounts[0]?.endpoints.find(({ endpoint }) => endpoint === name);
  if (!found) throw new Error(`the report has no ${name}`);
  return found;
};

let healthy: ProviderReport;
let deviating: ProviderReport;

beforeAll(async () => {
  healthy = await watchProvider((answer) => answer);
  deviating = await watchProvider(applyTo(DEVIATIONS));
}, 60_000);

test('the documented answers are those of the endpoints that collectors request, and doctor', () => {
  const others = ['proxy/retrieve', 'product/search'];
  const requested = new Set([...COLLECTORS.flatMap(({ endpoints }) => endpoints), ...others]);
  const missing = [...requested].filter((endpoint) => !(endpoint in DOCUMENTED_ANSWERS));
  expect(missing, 'add the answers of these endpoints to src/provider/documented-answers').toEqual([]);
  expect(Object.keys(DOCUMENTED_ANSWERS).toSorted()).toEqual([...requested].toSorted());
});

describe('the report names', () => {
  test.each(DEVIATIONS)('$what ($endpoint)', ({ endpoint, isNamed }) => {
    expect(isNamed(endpointIn(deviating, endpoint))).toBe(true);
    expect(isNamed(endpointIn(healthy, endpoint))).toBe(false);
  });

  test('at least twenty of them', () => {
    expect(DEVIATIONS.length).toBeGreaterThanOrEqual(20);
  });
});
