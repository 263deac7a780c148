// Tests whose fault it is if a target or a tester fails too, if the tests are older than the failures, and if a password is wrong for everybody.

import { describe, expect, it } from 'vitest';
import { createView } from '../../src/daemon/http-view.ts';
import { MINUTE, SECOND } from '../../src/lib/time.ts';
import type { ProbeResult } from '../../src/prober/probe.ts';
import type { ScenarioInput } from '../../src/simulator/simulator.ts';
import { FakeProber, failed, type MadeProbe, passed } from '../collectors/probes/fake-probe.ts';
import { entries, hostOf, nameOf } from '../collectors/proxy-tests/tests-harness.ts';
import { Harness } from '../support/harness.ts';

const PROXIES = 20;
const BROKEN = 12;
const SINGAPORE = 'singapore-1-digitalocean-proxytester-1';
const URLS = [
  { name: 'check', url: 'https://www.example.com/check' },
  { name: 'shop', url: 'https://shop.example/shop' },
];
/** The control is another address, which works. */
const EACH_MINUTE = {
  ...{ schedule: '* * * * *', urls: URLS },
  control: { urls: [{ name: 'target', url: 'https://www.example.com/health' }] },
};
const wrongPassword = failed('tunnel', 'credentials', {
  proxyAnswer: { status: 407, code: '2011', requestId: null },
});
const targetFails = failed('tunnel', 'target_refused', {
  proxyAnswer: { status: 502, code: '3111', requestId: null },
});

const isBroken = ({ at }: MadeProbe): boolean => at === hostOf(BROKEN);
/** The target `shop` fails behind every proxy. */
const targetAnswer = ({ at, target }: MadeProbe): ProbeResult =>
  at !== 'direct' && target === '/shop' ? targetFails : passed;

interface Options {
  readonly outages?: NonNullable<ScenarioInput>['outages'];
  readonly tests?: Record<string, unknown>;
  readonly probes?: Record<string, unknown> | false;
}

/** Twenty proxies that four testers test at two targets, and that the daemon probes there each minute. */
const build = (
  prober: FakeProber,
  { outages = [], tests, probes = EACH_MINUTE }: Options = {},
): Promise<Harness> =>
  Harness.build({
    ...{ now: '2026-07-06T12:01:30Z', firstStepHold: '0s', probe: prober.probe, scenario: { outages } },
    alerts: { evaluate: true },
    account: {
      ...{ traffic: false, residential_ledger: false, proxy_users: false, reconciliation: false },
      proxy_tests: { urls: URLS, proxies: entries(PROXIES), ...tests },
      probes,
    },
  });

/** What the daemon says about the broken proxy, which others are at fault, and which alerts are pending or fire. */
const saidOf = async ({ app, clock }: Harness) => {
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

/** Expects that the broken proxy is only ever unusable from here, from its second failing round on. */
const expectAccess = async (harness: Harness, rounds: number): Promise<void> => {
  for (let round = 1; round <= rounds; round += 1) {
    const { kinds, alerts } = await saidOf(harness);
    expect([round, kinds, alerts.has('ProxyFailing')]).toEqual([round, round < 2 ? [] : ['access'], false]);
    if (round < rounds) await harness.advance(MINUTE);
  }
};

describe('a proxy that refuses its password while a target fails', () => {
  it('is unusable from here at every round, also if a tester fails too', async () => {
    const prober = new FakeProber();
    prober.answer = (made) => (isBroken(made) ? wrongPassword : targetAnswer(made));
    await using harness = await build(prober, {
      outages: [
        { kind: 'target', subject: 'shop.example' },
        { kind: 'tester', subject: SINGAPORE },
      ],
    });
    await expectAccess(harness, 40);
    const { others, text } = await saidOf(harness);
    expect(others).toEqual(['target shop', `tester ${SINGAPORE}`]);
    expect(text).toContain(
      'it passes from the provider’s testers and fails from here: the proxy refuses the user',
    );
  });

  it('is so at once if it passed tests that are an hour apart', async () => {
    const prober = new FakeProber();
    prober.answer = targetAnswer;
    await using harness = await build(prober, {
      outages: [{ kind: 'target', subject: 'shop.example' }],
      tests: { schedule: '0 * * * *' },
    });
    for (let round = 1; round <= 3; round += 1) await harness.advance(MINUTE);
    prober.answer = (made) => (isBroken(made) ? wrongPassword : targetAnswer(made));
    await harness.advance(MINUTE);
    await expectAccess(harness, 70);
  });
});

it('a proxy that refuses the first probe, 14 seconds after it passed its tests, is unusable from here', async () => {
  const prober = new FakeProber();
  prober.answer = (made) => (isBroken(made) ? failed('connect', 'refused') : passed);
  await using harness = await build(prober, { probes: false });
  await harness.advance(14 * SECOND);
  await harness.restart({ probes: EACH_MINUTE });
  await expectAccess(harness, 4);
  expect((await saidOf(harness)).text).toMatch(
    /it fails from here: the proxy refuses the connection from here \(connect_refused\); it passed from the provider’s testers before that/,
  );
});

it('a password that the testers are refused too is refused everywhere, and no fault of the proxy', async () => {
  const prober = new FakeProber();
  prober.answer = (made) => (isBroken(made) ? wrongPassword : passed);
  await using harness = await build(prober, {
    outages: [{ kind: 'proxy', subject: hostOf(BROKEN), error_code: 'authentication_failed' }],
  });
  await expectAccess(harness, 30);
  expect((await saidOf(harness)).text).toContain('its user name and password are refused everywhere');
});
