// Tests whose fault it is if a target or a tester fails too, if the tests are older than the failures, and if a password is wrong for everybody.

import { describe, expect, it } from 'vitest';
import { MINUTE, SECOND } from '../../src/lib/time.ts';
import { FakeProber, failed, passed } from '../collectors/probes/fake-probe.ts';
import { hostOf } from '../collectors/proxy-tests/tests-harness.ts';
import type { Harness } from '../support/harness.ts';
import { BROKEN, build, EACH_MINUTE, isBroken, saidOf, targetAnswer, wrongPassword } from './scene.ts';

const SINGAPORE = 'singapore-1-digitalocean-proxytester-1';

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
