// Tests when the alerts about probes have findings, with the tests of the simulated provider beside the probes.

import { describe, expect, it } from 'vitest';
import { MINUTE } from '../../src/lib/time.ts';
import { buildBoth, SHOP } from '../collectors/probes/both-vantages.ts';
import { FakeProber, failed, passed } from '../collectors/probes/fake-probe.ts';
import { gateways } from '../collectors/probes/probes-harness.ts';
import { hostOf } from '../collectors/proxy-tests/tests-harness.ts';
import type { Harness } from '../support/harness.ts';
import { alertsFound, findingValues } from './findings.ts';

const SLOT = 10 * MINUTE;
const NAMES = [
  ...['ProxyFailing', 'ProxiesFailing', 'ProxyTargetBlocked', 'ProxyTesterFailing', 'ProviderOutage'],
  ...[
    'ProxyTestsInconclusive',
    'ProbesInconclusive',
    'ProbesFailingHere',
    'ProxyUnusableHere',
    'ExitAddressWrong',
  ],
];

/** Each of them has two rounds of probes and one of the provider's tests. */
const slotsOf = async (harness: Harness, count: number): Promise<void> => {
  for (let half = 0; half < 2 * count; half += 1) await harness.advance(SLOT / 2);
};

/** A prober that fails through these proxies, and without a proxy if `direct` is given. */
const failingAt = (hosts: readonly string[], failure = failed('connect', 'refused')): FakeProber => {
  const prober = new FakeProber();
  prober.answer = ({ at }) => (hosts.includes(at) ? failure : passed);
  return prober;
};

describe('a proxy that fails from here', () => {
  it('is reported as unusable here while the provider’s testers pass', async () => {
    const prober = failingAt([hostOf(2)]);
    await using harness = await buildBoth(prober);
    await slotsOf(harness, 1);
    expect(await alertsFound(harness, NAMES)).toEqual(['ProxyUnusableHere']);
    expect(await findingValues(harness, 'ProxyUnusableHere')).toEqual({ p2: 1 });
    prober.answer = () => passed;
    await slotsOf(harness, 2);
    expect(await alertsFound(harness, NAMES)).toEqual([]);
  });

  it('is reported once, as failing, if it fails from the provider’s testers too', async () => {
    await using harness = await buildBoth(failingAt([hostOf(2)]));
    harness.simulator.outages.replace([{ kind: 'proxy', subject: hostOf(2) }]);
    await slotsOf(harness, 3);
    expect(await alertsFound(harness, NAMES)).toEqual(['ProxyFailing']);
    expect(await findingValues(harness, 'ProxyFailing')).toEqual({ p2: 1 });
  });

  it('is reported as failing if the provider does not test it', async () => {
    await using harness = await buildBoth(failingAt([hostOf(2)]), { tests: false });
    await slotsOf(harness, 1);
    expect(await alertsFound(harness, NAMES)).toEqual(['ProxyFailing']);
    expect(await findingValues(harness, 'ProxyFailing')).toEqual({ p2: 1 });
  });

  it('is reported with the reason when the credentials are wrong', async () => {
    const hosts = Array.from({ length: 5 }, (_, index) => hostOf(index));
    await using harness = await buildBoth(failingAt(hosts, failed('tunnel', 'credentials')), {
      tests: false,
    });
    await slotsOf(harness, 1);
    expect(Object.keys(await findingValues(harness, 'ProxyUnusableHere'))).toHaveLength(5);
  });

  it('is reported by nobody when the quota is used up', async () => {
    const hosts = Array.from({ length: 5 }, (_, index) => hostOf(index));
    await using harness = await buildBoth(failingAt(hosts, failed('tunnel', 'quota')));
    await slotsOf(harness, 3);
    expect(await alertsFound(harness, NAMES)).toEqual([]);
  });
});

describe('the controls', () => {
  it('are reported after two rounds in which none of them got an answer, and nothing else is', async () => {
    const prober = new FakeProber();
    await using harness = await buildBoth(prober);
    prober.answer = () => failed('connect', 'unreachable');
    await harness.advance(SLOT / 2);
    expect(await alertsFound(harness, NAMES)).toEqual([]);
    await harness.advance(SLOT / 2);
    expect(await alertsFound(harness, NAMES)).toEqual(['ProbesFailingHere']);
    expect(await findingValues(harness, 'ProbesFailingHere')).toEqual({ '': 2 });
    expect((await harness.samples()).value('proxywatch_probe_controls_failing_rounds')).toBe(2);
    prober.answer = ({ at, target }) =>
      at === 'direct' && target === '/' ? failed('connect', 'refused') : passed;
    await harness.advance(SLOT / 2);
    expect(await alertsFound(harness, NAMES)).toEqual([]);
  });

  it('that fail do not end the fault of a proxy', async () => {
    const prober = failingAt([hostOf(1)]);
    await using harness = await buildBoth(prober);
    await slotsOf(harness, 1);
    prober.answer = () => failed('connect', 'unreachable');
    await slotsOf(harness, 1);
    expect(await alertsFound(harness, NAMES)).toEqual(['ProbesFailingHere', 'ProxyUnusableHere']);
  });
});

it('a target that blocks the proxies is reported, because it works without a proxy', async () => {
  const prober = new FakeProber();
  prober.answer = ({ at, target }) =>
    at !== 'direct' && target === '/check' ? failed('response', 'status') : passed;
  await using harness = await buildBoth(prober);
  await slotsOf(harness, 1);
  expect(await findingValues(harness, 'ProxyTargetBlocked')).toEqual({ check: 1 });
  expect(await alertsFound(harness, NAMES)).toEqual(['ProxyTargetBlocked']);
});

describe('failures at a target without a known cause', () => {
  it('are reported if most proxies fail there, and nothing can be compared', async () => {
    const prober = new FakeProber();
    prober.answer = ({ at }) => (at === 'direct' ? passed : failed('tls', 'timeout'));
    await using harness = await buildBoth(prober, { tests: false, probes: { urls: [SHOP] } });
    await slotsOf(harness, 1);
    expect(await findingValues(harness, 'ProbesInconclusive')).toEqual({ shop: 5 });
    expect(await alertsFound(harness, NAMES)).toEqual(['ProbesInconclusive']);
    expect((await harness.samples()).value('proxywatch_probes_inconclusive', { url: 'shop' })).toBe(5);
    prober.answer = () => passed;
    await slotsOf(harness, 2);
    expect(await alertsFound(harness, NAMES)).toEqual([]);
    expect((await harness.samples()).value('proxywatch_probes_inconclusive', { url: 'shop' })).toBe(0);
  });

  it.each([
    { title: 'once in several rounds', proxies: 3, afterOne: [], afterTwo: ['ProbesInconclusive'] },
    { title: 'never for few proxies', proxies: 2, afterOne: [], afterTwo: [] },
  ])('are reported while its control fails too: $title', async ({ proxies, afterOne, afterTwo }) => {
    const prober = new FakeProber();
    await using harness = await buildBoth(prober, { tests: false });
    const failing = ['direct', ...Array.from({ length: proxies }, (_, index) => hostOf(index))];
    prober.answer = ({ at, target }) =>
      target === '/check' && failing.includes(at) ? failed('connect', 'timeout') : passed;
    await harness.advance(SLOT / 2);
    expect(await alertsFound(harness, NAMES)).toEqual(afterOne);
    await harness.advance(SLOT / 2);
    expect(await alertsFound(harness, NAMES)).toEqual(afterTwo);
  });
});

it('a wrong exit is reported until it is correct', async () => {
  const prober = new FakeProber();
  const seen = (country: string): void => {
    const echo = JSON.stringify({ ip: '198.51.100.7', country });
    prober.answer = ({ target }) => ({ ...passed, body: target === '/ip' ? echo : null });
  };
  seen('us');
  const exit = { url: 'https://echo.example/ip', every: '5m' };
  // The user name of the gateway asks for an exit in gb.
  await using harness = await buildBoth(prober, { tests: false, probes: { exit, proxies: gateways(1) } });
  await slotsOf(harness, 1);
  expect(await findingValues(harness, 'ExitAddressWrong')).toEqual({ g1: 1 });
  seen('gb');
  await slotsOf(harness, 1);
  expect(await findingValues(harness, 'ExitAddressWrong')).toEqual({});
});
