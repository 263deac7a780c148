// Tests that doctor can try every endpoint that collectors request.

import { expect, test } from 'vitest';
import { ENDPOINT_PROBES } from '../../src/cli/doctor/endpoint-probes.ts';
import { COLLECTORS } from '../../src/collectors/index.ts';

test('every endpoint that a collector requests has a probe, and no other', () => {
  const requested = new Set(COLLECTORS.flatMap(({ endpoints }) => endpoints));
  const probed = Object.keys(ENDPOINT_PROBES);
  const missing = [...requested].filter((endpoint) => !probed.includes(endpoint));
  expect(missing, 'add a request for these endpoints to src/cli/doctor/endpoint-probes.ts').toEqual([]);
  expect(probed.filter((endpoint) => !requested.has(endpoint))).toEqual([]);
});
