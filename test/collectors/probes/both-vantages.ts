// Builds a daemon whose proxies are tested by the simulated provider and probed from here.

import type { ScenarioInput } from '../../../src/simulator/scenario.ts';
import { Harness, type HarnessOptions } from '../../support/harness.ts';
import { entries } from '../proxy-tests/tests-harness.ts';
import type { FakeProber } from './fake-probe.ts';

export const START = '2026-07-06T12:01:30Z';
/** The provider tests one of the two probed urls, and another one. */
export const SHOP = { name: 'shop', url: 'https://shop.example/?token=t0ken' };
export const CHECK = { name: 'check', url: 'https://www.example.com/check' };
export const TESTED_URLS = [SHOP, 'https://www.example.com/'];

interface BothOptions extends Partial<Pick<HarnessOptions, 'log'>> {
  readonly proxies?: number;
  readonly probes?: Record<string, unknown>;
  readonly tests?: Record<string, unknown> | false;
  readonly outages?: ScenarioInput['outages'];
}

/** By default, five proxies are probed at two urls every five minutes, and tested by two testers every ten. */
export const buildBoth = (
  prober: FakeProber,
  { proxies = 5, probes, tests, outages = [], ...rest }: BothOptions = {},
): Promise<Harness> =>
  Harness.build({
    now: START,
    firstStepHold: '0s',
    probe: prober.probe,
    scenario: {
      outages,
      testers: ['london', 'frankfurt'].map((id) => ({ id, city_id: 100, city_name: id, country_id: 'gb' })),
    },
    account: {
      ...{ traffic: false, residential_ledger: false, proxy_users: false, reconciliation: false },
      proxy_tests: tests === false ? false : { urls: TESTED_URLS, proxies: entries(proxies), ...tests },
      probes: { urls: [SHOP, CHECK], ...(tests === false && { proxies: entries(proxies) }), ...probes },
    },
    ...rest,
  });
