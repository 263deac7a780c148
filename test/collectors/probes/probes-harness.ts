// Builds a daemon that only probes proxies, with a prober that the test controls.

import { Harness, type HarnessOptions } from '../../support/harness.ts';
import type { FakeProber } from './fake-probe.ts';

export const START = '2026-07-06T12:01:30Z';

/** Static proxies at 192.0.2.1, 192.0.2.2, …, named p1, p2, …; none is metered. */
export const staticProxies = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    ...{ name: `p${index + 1}`, product_type: 'isp' },
    proxy: `192.0.2.${index + 1}:8000:alice:hunter2`,
  }));

/** Gateways at 203.0.113.1, …, named g1, g2, …, which are metered. */
export const gateways = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    ...{ name: `g${index + 1}`, product_type: 'residential' },
    proxy: `http://bob_c_gb:hunter2@203.0.113.${index + 1}:8000`,
  }));

export const URLS = [
  { name: 'check', url: 'https://www.example.com/check' },
  { name: 'shop', url: 'https://shop.example.com/shop?token=t0ken' },
];

export const THREE_URLS = [...URLS, { name: 'api', url: 'https://api.example.com/api' }];

interface ProbesHarnessOptions extends Partial<Omit<HarnessOptions, 'probe'>> {
  readonly probes?: Record<string, unknown>;
}

/** By default the daemon probes two static proxies at two urls every five minutes, without controls. */
export const buildProbes = (
  prober: FakeProber,
  { probes, account, ...rest }: ProbesHarnessOptions = {},
): Promise<Harness> =>
  Harness.build({
    now: START,
    firstStepHold: '0s',
    probe: prober.probe,
    account: {
      ...{ traffic: false, residential_ledger: false, proxy_users: false, reconciliation: false },
      probes: { urls: URLS, proxies: staticProxies(2), control: false, ...probes },
      ...account,
    },
    ...rest,
  });
