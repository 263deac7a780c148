// Tests that doctor can try every endpoint that collectors request, and its advice on a second factor.

import { expect, test } from 'vitest';
import { adviceOn } from '../../src/cli/doctor/account-session.ts';
import { ENDPOINT_PROBES } from '../../src/cli/doctor/endpoint-probes.ts';
import { COLLECTORS } from '../../src/collectors/index.ts';
import { ProviderError } from '../../src/provider/errors.ts';

test('every endpoint that a collector requests has a probe, and no other', () => {
  const requested = new Set(COLLECTORS.flatMap(({ endpoints }) => endpoints));
  const probed = Object.keys(ENDPOINT_PROBES);
  const missing = [...requested].filter((endpoint) => !probed.includes(endpoint));
  expect(missing, 'add a request for these endpoints to src/cli/doctor/endpoint-probes.ts').toEqual([]);
  expect(probed.filter((endpoint) => !requested.has(endpoint))).toEqual([]);
});

test('an account that asks for a second factor does not get the advice to turn collectors off', () => {
  const error = new ProviderError('forbidden', 'analytics/graph', 'answered 403', {
    needsSecondFactor: true,
  });
  expect(adviceOn(error, ['traffic'])).toMatch(
    /^The keys are valid, but the account has two-factor .*Turn it off/,
  );
});
