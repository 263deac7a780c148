// Tests that probes, their budget, silences and notifications of a moved account go on at its new store.

import { expect, test } from 'vitest';
import { HOUR, MINUTE } from '../../../src/lib/time.ts';
import type { ProbeResult } from '../../../src/prober/probe.ts';
import type { Silence } from '../../../src/store/alert-store.ts';
import { bodyOf } from '../../alerts/group-support.ts';
import { FakeProber, failed, passed } from '../../collectors/probes/fake-probe.ts';
import { buildProbes, gateways, staticProxies, URLS } from '../../collectors/probes/probes-harness.ts';
import { FakeReceiver, UNGROUPED } from '../../support/fake-receiver.ts';
import type { Harness } from '../../support/harness.ts';
import { parseSamples } from '../../support/harness.ts';
import { moveAccount } from './move-account.ts';

const URL_CHECK = URLS.slice(0, 1);
const EXIT = { url: 'https://echo.example.com/ip' };
const PROBES = {
  ...{ schedule: '*/10 * * * *', urls: URL_CHECK, exit: EXIT },
  proxies: [...staticProxies(3), ...gateways(2)],
};

const echoOf = (country: string): ProbeResult => ({
  ...{ ...passed, status: 200 },
  body: JSON.stringify({ ip: '203.0.113.99', country }),
});

/** Samples about the probes of the account `main`. */
const probeSamples = async (harness: Harness): Promise<[string, number][]> =>
  [...parseSamples(await harness.metricsText())].filter(
    ([series]) =>
      /^proxywatch_(probe|proxy_test|fault|proxies_(tested|failing))/.test(series) &&
      series.includes('account="main"'),
  );

const build = async () => {
  const prober = new FakeProber();
  prober.answer = ({ target }) => (target === '/ip' ? echoOf('GB') : passed);
  const receiver = await FakeReceiver.start();
  const alerts = { receivers: [{ type: 'webhook', name: 'hook', url: receiver.url, ...UNGROUPED }] };
  const source = await buildProbes(prober, { probes: PROBES, alerts });
  const { clock, simulator } = source;
  const shared = { clock, simulator, alerts };
  const target = await buildProbes(prober, {
    ...{ ...shared, account: { name: 'other' } },
    probes: { urls: URLS, proxies: [...staticProxies(2), ...gateways(1)] },
  });
  return {
    ...{ prober, receiver, source, target, shared },
    /** The subjects of the alerts that began to fire for the receiver since the last call. */
    notified: (alert: string): string[] =>
      receiver.received
        .splice(0)
        .map(bodyOf)
        .flatMap(({ alerts, added }) => alerts.slice(0, added))
        .filter(({ labels }) => labels.alertname === alert)
        .map(({ labels }) => `${labels.account} ${labels.proxy_id}`),
    [Symbol.asyncDispose]: async () => {
      await source[Symbol.asyncDispose]();
      await target[Symbol.asyncDispose]();
      await receiver[Symbol.asyncDispose]();
    },
  };
};

test('probes, their exits and their budget go on as if the daemon had only been restarted', async () => {
  await using rig = await build();
  const { source, target, prober, shared } = rig;
  prober.answer = ({ at, target: path }) => {
    if (path === '/ip') return echoOf('FR');
    return at === '192.0.2.2' ? failed('connect', 'refused') : passed;
  };
  for (let round = 0; round < 4; round += 1) {
    await source.advance(10 * MINUTE);
    await target.advance(0);
  }
  const copy = await moveAccount(source, target);
  await using twin = await buildProbes(prober, { ...shared, storeFile: copy, probes: PROBES });
  await target.restart({ name: 'main', probes: { ...PROBES, control: false } });
  prober.take();
  for (let round = 0; round < 3; round += 1) {
    await twin.advance(10 * MINUTE);
    const ofTwin = prober.take();
    await target.advance(0);
    expect(prober.take().toSorted()).toEqual(ofTwin.toSorted());
    const samples = await probeSamples(target);
    expect(samples.length).toBeGreaterThan(50);
    expect(samples).toEqual(await probeSamples(twin));
  }
  const spent = (harness: Harness) => harness.app.store.probes.spent('probes/main', 0);
  expect((await spent(target)).length).toBeGreaterThan(3);
  expect(await spent(target)).toEqual(await spent(twin));
});

test('silences go on, and no notification comes twice or is lost', async () => {
  await using rig = await build();
  const { source, target, prober, notified } = rig;
  const now = source.clock.now();
  const silence = (part: Partial<Silence>): Silence => ({
    ...{ id: 'x', account: null, alert: null, subject: null, comment: 'Anna' },
    ...{ startsAt: now, endsAt: now + 4 * HOUR, untilResolved: false },
    ...part,
  });
  // The exits of both gateways are wrong. The receiver is notified of one; the other is silenced at all accounts.
  const silences = [
    silence({ id: 'of-account', account: 'main', subject: 'p1' }),
    silence({ id: 'of-all', subject: 'g2', alert: 'ExitAddressWrong' }),
  ];
  for (const each of silences) await source.app.alerting.mutes.add(each);
  prober.answer = ({ target }) => (target === '/ip' ? echoOf('FR') : passed);
  for (let round = 0; round < 7; round += 1) await source.advance(10 * MINUTE);
  expect(notified('ExitAddressWrong')).toEqual(['main g1']);
  await target.advance(0);
  notified('');

  await moveAccount(source, target);
  await target.restart({ name: 'main', probes: { ...PROBES, control: false } });
  await source.start();
  expect(source.app.alerting.mutes.silences.map(({ id }) => id)).toEqual(['of-all']);
  expect(await source.app.store.alertHistory.page({}, 10)).toEqual([]);
  for (let round = 0; round < 6; round += 1) await target.advance(10 * MINUTE);
  expect(target.app.alerting.mutes.silences).toEqual(
    expect.arrayContaining([
      silences[0],
      { ...silences[1], id: expect.stringMatching(/^[0-9a-f]{12}$/), account: 'main' },
    ]),
  );
  expect(notified('ExitAddressWrong')).toEqual([]);
  await target.advance(2 * HOUR);
  expect(notified('ExitAddressWrong')).toEqual(['main g2']);
  const [ended] = await target.app.store.alertHistory.page({ alert: 'ExitAddressWrong', subject: 'g1' }, 1);
  expect(ended?.notified.map(({ receiver: name }) => name)).toEqual(['hook']);
});
