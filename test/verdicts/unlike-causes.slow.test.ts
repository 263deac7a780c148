// Tests causes that look like another one: shared passwords, limits, policies, and failures of which a part is older.

import { expect, it, test } from 'vitest';
import type { Attribution } from '../../src/collectors/faults/attribution.ts';
import { attributeTests } from '../../src/collectors/proxy-tests/attribute-tests.ts';
import { runAtOnce } from '../../src/lib/steps.ts';
import { HOUR, MINUTE } from '../../src/lib/time.ts';
import { FakeProber, failed, passed } from '../collectors/probes/fake-probe.ts';
import { hostOf } from '../collectors/proxy-tests/tests-harness.ts';
import type { Harness } from '../support/harness.ts';
import { BROKEN, build, EACH_MINUTE, isBroken, saidOf, targetFails, URLS, wrongPassword } from './scene.ts';

const [, SHOP] = URLS;
const minutes = async (harness: Harness, count: number): Promise<void> => {
  for (let minute = 0; minute < count; minute += 1) await harness.advance(MINUTE);
};
const allFail = (error_code: string) => [{ kind: 'proxy' as const, subject: '*', error_code }];
const oneFails = (error_code: string) => [{ kind: 'proxy' as const, subject: hostOf(BROKEN), error_code }];
const probing = (fails: ReturnType<typeof failed> | undefined): FakeProber => {
  const prober = new FakeProber();
  prober.answer = ({ at }) => (fails && at !== 'direct' ? fails : passed);
  return prober;
};

test.each([
  ['by words', 'authentication_failed', true],
  ['by a number', '2011', false],
  ['by a status', '407', false],
] as const)(
  'a password that all proxies share is no outage of the provider: %s',
  async (_, code, hasProbes) => {
    const prober = probing(hasProbes ? wrongPassword : undefined);
    await using harness = await build(prober, {
      outages: allFail(code),
      ...(!hasProbes && { probes: false }),
    });
    await minutes(harness, 31);
    const { kinds, others, text, alerts } = await saidOf(harness);
    expect([new Set(kinds), others?.filter((other) => !other.startsWith('access '))]).toEqual([
      new Set(['access']),
      [],
    ]);
    expect(text).toMatch(
      /cannot be used since .*user name and password are refused.*Next: compare the user name/,
    );
    expect([alerts.has('ProxyUnusableHere'), alerts.has('ProviderOutage')]).toEqual([true, false]);
  },
);

test.each([
  ['one proxy', oneFails('4221'), undefined],
  ['all proxies, here too', allFail('4221'), failed('tunnel', 'quota')],
] as const)('a used-up quota of %s is no fault', async (_, outages, fails) => {
  await using harness = await build(probing(fails), {
    outages: [...outages],
    ...(!fails && { probes: false }),
  });
  await minutes(harness, 31);
  const { kinds, others, text, alerts } = await saidOf(harness);
  expect([kinds, others, [...alerts]]).toEqual([[], [], []]);
  expect(text).toMatch(
    /^8 of 8 tests fail because a limit of the proxy user is exceeded.*Next: check the limits/,
  );
});

test.each([
  ['of one proxy is no fault', oneFails('3161'), [], /because the provider’s policy refuses the target/],
  [
    'of all proxies is one of the targets',
    allFail('3161'),
    ['target check', 'target shop'],
    /is at fault: the provider’s policy refuses this target.*Next: use another target/,
  ],
] as const)('a policy that the testers meet %s', async (_, outages, faults, words) => {
  await using harness = await build(probing(undefined), { outages: [...outages], probes: false });
  await minutes(harness, 31);
  const { kinds, others, text } = await saidOf(harness);
  expect([kinds, others]).toEqual([[], faults]);
  expect(text).toMatch(words);
});

it.each([false, true])(
  'a refused password is told while its only target is down (target first: %s)',
  async (isTargetFirst) => {
    const prober = new FakeProber();
    const is = { refused: !isTargetFirst, down: isTargetFirst };
    prober.answer = (made) =>
      is.refused && isBroken(made) ? wrongPassword : is.down && made.at !== 'direct' ? targetFails : passed;
    const down = [{ kind: 'target' as const, subject: 'shop.example', error_source: 'target' }];
    await using harness = await build(prober, {
      ...{ outages: isTargetFirst ? down : [], tests: { urls: [SHOP] } },
      probes: { ...EACH_MINUTE, urls: [SHOP] },
    });
    await minutes(harness, 30);
    is.refused = is.down = true;
    harness.simulator.outages.replace(down);
    await minutes(harness, 20);
    const { kinds, others, text } = await saidOf(harness);
    expect([new Set(kinds), new Set(others)]).toEqual([new Set(['access']), new Set(['target shop'])]);
    expect(text).toMatch(/fails from here: the proxy refuses the user name and password/);
  },
);

test.each([
  ['the line of this machine', failed('connect', 'unreachable'), () => true],
  [
    'a target',
    failed('response', 'status'),
    ({ at, target }: { at: string; target: string }) => at !== 'direct' && target === '/shop',
  ],
] as const)('a blip of %s does not end a fault that only the testers see', async (_, failure, isHit) => {
  const prober = new FakeProber();
  let isDown = false;
  prober.answer = (made) => (isDown && isHit(made) ? failure : passed);
  await using harness = await build(prober, {
    ...{ tests: { schedule: '0 * * * *' }, outages: oneFails('connection_timeout') },
  });
  await harness.advance(2 * HOUR + 5 * MINUTE);
  isDown = true;
  await minutes(harness, 2);
  isDown = false;
  await minutes(harness, 10);
  expect((await saidOf(harness)).kinds).toEqual(['proxy']);
});

it('tests that are days apart keep their passes, and a recovery ends their fault', async () => {
  const prober = new FakeProber();
  const is = { refused: false };
  prober.answer = (made) => (is.refused && isBroken(made) ? failed('connect', 'refused') : passed);
  const probes = { ...EACH_MINUTE, schedule: '*/30 * * * *' };
  await using harness = await build(prober, { tests: { schedule: '0 12 */4 * *', fault_after: 1 }, probes });
  is.refused = true;
  for (let hour = 0; hour < 26; hour += 1) await harness.advance(HOUR);
  expect((await saidOf(harness)).kinds).toEqual(['access']);
  harness.simulator.outages.replace(oneFails('connection_refused'));
  for (let hour = 0; hour < 72; hour += 1) await harness.advance(HOUR);
  expect(new Set((await saidOf(harness)).kinds)).toEqual(new Set(['proxy']));
  is.refused = false;
  for (let hour = 0; hour < 10; hour += 1) await harness.advance(HOUR);
  expect((await saidOf(harness)).kinds).toEqual([]);
});

it('a password that was refused before the tests began to fail does not explain them', async () => {
  const prober = new FakeProber();
  const is = { refused: true };
  prober.answer = (made) => (is.refused && isBroken(made) ? wrongPassword : passed);
  const probes = { ...EACH_MINUTE, schedule: '0 */6 * * *', fault_after: 1 };
  await using harness = await build(prober, { probes });
  await minutes(harness, 5);
  is.refused = false;
  harness.simulator.outages.replace(oneFails('connection_timeout'));
  await minutes(harness, 60);
  expect((await saidOf(harness)).text).toMatch(
    /is at fault since .*connection timeout \(connection_timeout\)/,
  );
});

it('probes alone say what fails from here, and name no testers', async () => {
  const prober = new FakeProber();
  prober.answer = (made) => (isBroken(made) ? failed('connect', 'refused') : passed);
  await using harness = await build(prober, { tests: false });
  await minutes(harness, 5);
  const { kinds, text } = await saidOf(harness);
  expect(kinds).toEqual(['proxy']);
  expect(text).toMatch(
    /: 2 of 2 probes fail, \d rounds in a row: the proxy refuses the connection from here \(connect_refused\)\. Next: /,
  );
});

/** The failing tests have the error code, after so many rounds. */
const cellOf = (proxy: string, url: string, tester: string, code: string | null, round: number) => ({
  ...{ proxy, url, tester, productType: 'isp', at: round, sources: 0 },
  ...{ errorCode: code, errorSource: code === null ? null : code === '2011' ? 'proxy' : 'network' },
  ...{ rounds: Math.min(round, 8), history: code === null ? 0 : 2 ** Math.min(round, 8) - 1 },
});

it('after refused credentials, another cause is told, whatever its error source is', () => {
  let said: Attribution = { faults: [], inconclusive: [] };
  for (let round = 1; round <= 12; round += 1) {
    const cells = ['p0', 'p1', 'p2', 'p3', 'p4', 'p5', 'p6'].flatMap((proxy) =>
      ['t1', 't2'].map((tester) =>
        cellOf(
          ...([proxy, 'check', tester] as const),
          proxy !== 'p0' ? null : round <= 4 ? '2011' : 'connection_timeout',
          round,
        ),
      ),
    );
    said = runAtOnce(attributeTests(cells, said, [], { faultAfter: 2, since: round }));
  }
  expect(said).toMatchObject({ faults: [{ kind: 'proxy', subject: 'p0', code: 'connection_timeout' }] });
});

it('a single proxy that fails only at one target is not passed over', () => {
  const cells = ['check', 'shop'].flatMap((url) =>
    ['t1', 't2'].map((tester) => cellOf('p0', url, tester, url === 'shop' ? 'connection_timeout' : null, 2)),
  );
  const before = { faults: [], inconclusive: [] };
  expect(runAtOnce(attributeTests(cells, before, [], { faultAfter: 2, since: 2 }))).toEqual({
    faults: [],
    inconclusive: [
      {
        ...{ url: 'shop', proxies: 1 },
        reason: expect.stringMatching(/no other proxy that works .* Next: add another proxy to the tests/),
      },
    ],
  });
});
