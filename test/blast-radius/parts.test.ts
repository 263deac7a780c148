// Tests that the tables of faults know every endpoint that the daemon requests, and every family that it shows.

import { expect, it } from 'vitest';
import { COLLECTORS, FAMILIES } from '../../src/collectors/index.ts';
import { groupOf, isAboutPolling } from './families.ts';
import { PARTS } from './parts.ts';

it('every endpoint of a collector has a part', () => {
  const endpoints = new Set(COLLECTORS.flatMap((collector) => collector.endpoints));
  expect(new Set(PARTS.map(({ endpoint }) => endpoint))).toEqual(endpoints);
});

it('every family has a group, or is about polling', () => {
  const names = FAMILIES.map(({ name }) => name).filter(
    // Probes are connections through the proxies. No answer of the provider's API changes what they show.
    (name) => !isAboutPolling(name) && !/^proxywatch_probes?_/.test(name),
  );
  // It names the customer, and is set once.
  expect(names.filter((name) => groupOf(name) === undefined)).toEqual(['proxywatch_account_info']);
});
