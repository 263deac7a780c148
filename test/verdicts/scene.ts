// A daemon whose proxies the simulated provider tests and a scripted prober probes each minute, and what it says about one of them.

import { createView } from '../../src/daemon/http-view.ts';
import type { ProbeResult } from '../../src/prober/probe.ts';
import type { ScenarioInput } from '../../src/simulator/simulator.ts';
import { type FakeProber, failed, type MadeProbe, passed } from '../collectors/probes/fake-probe.ts';
import { entries, hostOf, nameOf } from '../collectors/proxy-tests/tests-harness.ts';
import { Harness } from '../support/harness.ts';

const PROXIES = 20;
export const BROKEN = 12;
export const URLS = [
  { name: 'check', url: 'https://www.example.com/check' },
  { name: 'shop', url: 'https://shop.example/shop' },
];
/** The control is another address, which works. */
export const EACH_MINUTE = {
  ...{ schedule: '* * * * *', urls: URLS },
  control: { urls: [{ name: 'target', url: 'https://www.example.com/health' }] },
};
export const wrongPassword = failed('tunnel', 'credentials', {
  proxyAnswer: { status: 407, code: '2011', requestId: null },
});
export const targetFails = failed('tunnel', 'target_refused', {
  proxyAnswer: { status: 502, code: '3111', requestId: null },
});

export const isBroken = ({ at }: MadeProbe): boolean => at === hostOf(BROKEN);
/** The target `shop` fails behind every proxy. */
export const targetAnswer = ({ at, target }: MadeProbe): ProbeResult =>
  at !== 'direct' && target === '/shop' ? targetFails : passed;

interface Options {
  readonly outages?: NonNullable<ScenarioInput>['outages'];
  readonly tests?: Record<string, unknown> | false;
  readonly probes?: Record<string, unknown> | false;
  readonly proxies?: number;
}

/** Proxies that four testers test at two targets, and that the daemon probes there each minute. */
export const build = (
  prober: FakeProber,
  { outages = [], tests, probes = EACH_MINUTE, proxies = PROXIES }: Options = {},
): Promise<Harness> =>
  Harness.build({
    ...{
      now: '2026-07-06T12:01:30Z',
      firstStepHold: '0s',
      probe: prober.probe,
      scenario: { outages, test_runs_per_day: 1_000_000_000 },
    },
    alerts: { evaluate: true },
    account: {
      ...{ traffic: false, residential_ledger: false, proxy_users: false, reconciliation: false },
      proxy_tests: tests !== false && { urls: URLS, proxies: entries(proxies), ...tests },
      probes: tests === false ? { ...probes, proxies: entries(proxies) } : probes,
    },
  });

/** What the daemon says about the broken proxy, which others are at fault, and which alerts are pending or fire. */
export const saidOf = async ({ app, clock }: Harness) => {
  const view = createView({ app, clock, version: '1.2.3' });
  const faults = await view.tests.faults('main');
  const [own, others] = [true, false].map((isOwn) =>
    faults.filter(({ subject }) => (subject === nameOf(BROKEN)) === isOwn),
  );
  return {
    kinds: own?.map(({ kind }) => kind),
    others: others?.map(({ kind, subject }) => `${kind} ${subject}`).sort(),
    text: (await view.tests.proxy('main', nameOf(BROKEN)))?.verdict.text,
    alerts: new Set([...app.alerting.active].map(({ alert }) => alert)),
  };
};
