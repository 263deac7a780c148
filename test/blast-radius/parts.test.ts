// Tests that the tables of faults know every endpoint that the daemon requests, and every family that it shows.

import { expect, it } from 'vitest';
import { COLLECTORS, FAMILIES } from '../../src/collectors/index.ts';
import { groupOf, isAboutPolling } from './families.ts';
import { PARTS } from './parts.ts';

it('every endpoint of a collector has a part', () => {
  // If the listing of services fails, they are requested one by one, as its own test shows.
  const requested = COLLECTORS.flatMap(({ endpoints }) => endpoints).filter(
    (name) => name !== 'service/search',
  );
  const known = PARTS.map(({ endpoint }) => endpoint);
  const advice = 'add parts for these endpoints to a file in test/blast-radius/parts';
  expect(
    requested.filter((endpoint) => !known.includes(endpoint)),
    advice,
  ).toEqual([]);
  expect(known.filter((endpoint) => !requested.includes(endpoint))).toEqual([]);
});

it('every family has a group, or is about polling', () => {
  const names = FAMILIES.map(({ name }) => name).filter(
    // Probes are connections through the proxies. No answer of the provider's API changes what they show.
    (name) => !isAboutPolling(name) && !/^proxywatch_probes?_/.test(name),
  );
  // They name the customer, which is set once, and the configured currency.
  const ungrouped = names.filter((name) => groupOf(name) === undefined);
  const advice = 'add these families to a group in test/blast-radius/families.ts';
  expect(ungrouped, advice).toEqual(['proxywatch_account_info', 'proxywatch_account_currency_info']);
});
