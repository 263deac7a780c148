// Tests that page, metric and alerts forget a fault as soon as its subject is no longer configured, long before new results.

import { expect, test } from 'vitest';
import { createView } from '../../src/daemon/http-view.ts';
import { HOUR, MINUTE } from '../../src/lib/time.ts';
import { FakeProber, failed, passed } from '../collectors/probes/fake-probe.ts';
import { entries, faultsOf, hostOf } from '../collectors/proxy-tests/tests-harness.ts';
import type { Harness } from '../support/harness.ts';
import { build, URLS } from './scene.ts';

const [CHECK, SHOP] = URLS;
const PROXIES = entries(6);
const TWICE_A_DAY = { urls: URLS, proxies: PROXIES, schedule: '0 */12 * * *', fault_after: 1 };

/** What the page lists, what the metric shows, and the alerts that are pending or fire. */
const saidBy = async (harness: Harness) => {
  const { app, clock } = harness;
  const listed = await createView({ app, clock, version: '1.2.3' }).tests.faults('main');
  return {
    listed: listed.map(({ kind, subject }) => `${kind} ${subject}`),
    metric: await faultsOf(harness),
    alerts: [...app.alerting.active].map(({ alert }) => alert),
  };
};

const restart = (harness: Harness, proxy_tests: typeof TWICE_A_DAY): Promise<void> =>
  harness.restart({ proxy_tests });

const shopIsDown = { kind: 'target', subject: 'shop.example' } as const;
const proxyIsDown = { kind: 'proxy', subject: hostOf(3) } as const;

test.each([
  ['a target that is taken out', shopIsDown, 'target shop', 'ProxyTargetBlocked', { urls: [CHECK] }],
  [
    'a target with another name',
    shopIsDown,
    'target shop',
    'ProxyTargetBlocked',
    { urls: [CHECK, { ...SHOP, name: 'store' }] },
  ],
  [
    'a proxy that is taken out',
    proxyIsDown,
    'proxy p3',
    'ProxyFailing',
    { proxies: PROXIES.filter((_, index) => index !== 3) },
  ],
] as const)('a restart ends the fault of %s', async (_, outage, fault, alert, change) => {
  await using harness = await build(new FakeProber(), {
    ...{ outages: [outage], tests: TWICE_A_DAY, probes: false, proxies: 6 },
  });
  await harness.advance(12 * HOUR);
  expect(await saidBy(harness)).toEqual({ listed: [fault], metric: [fault], alerts: [alert] });
  await restart(harness, { ...TWICE_A_DAY, ...change } as never);
  expect(await saidBy(harness)).toEqual({ listed: [], metric: [], alerts: [] });
  await harness.advance(MINUTE);
  expect(await saidBy(harness)).toEqual({ listed: [], metric: [], alerts: [] });
});

test('a restart with the same configuration keeps the fault', async () => {
  await using harness = await build(new FakeProber(), {
    ...{ outages: [shopIsDown], tests: TWICE_A_DAY, probes: false, proxies: 6 },
  });
  await harness.advance(12 * HOUR);
  await harness.restart();
  await harness.advance(MINUTE);
  const fault = ['target shop'];
  expect(await saidBy(harness)).toEqual({ listed: fault, metric: fault, alerts: ['ProxyTargetBlocked'] });
});

test('a fault of the testers at a target that only the probes still have does not explain their failures', async () => {
  const prober = new FakeProber();
  await using harness = await build(prober, {
    outages: [shopIsDown],
    tests: TWICE_A_DAY,
    probes: { schedule: '* * * * *', urls: URLS, control: { urls: [CHECK] } },
    proxies: 6,
  });
  await harness.advance(12 * HOUR);
  await restart(harness, { ...TWICE_A_DAY, urls: [CHECK] } as never);
  prober.answer = ({ at, target }) =>
    at === hostOf(3) && target === '/shop' ? failed('response', 'timeout') : passed;
  for (let minute = 0; minute < 5; minute += 1) await harness.advance(MINUTE);
  const { listed } = await saidBy(harness);
  expect(listed).toEqual(['access p3']);
});
