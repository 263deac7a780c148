// Tests probes on request before the first round, during a reload, during a stop, and of clients that wait less.

import { join } from 'node:path';
import { expect, it } from 'vitest';
import { MOST_BYTES } from '../../../src/collectors/probes/budget/byte-prices.ts';
import type { ProbeAnswer, ProbeOnRequest } from '../../../src/http/daemon-view.ts';
import { MINUTE } from '../../../src/lib/time.ts';
import { createFolder } from '../../config/support.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import type { Harness } from '../../support/harness.ts';
import { FakeProber, failed, type MadeProbe, passed } from './fake-probe.ts';
import { buildProbes, gateways, START } from './probes-harness.ts';

const request = ({ app }: Harness, wanted: Partial<ProbeOnRequest> = {}): Promise<ProbeAnswer> =>
  app.probeRequests.probe({ account: undefined, proxy: 'p1', url: 'check', ...wanted });

const textOf = (answer: ProbeAnswer): string => ('text' in answer ? answer.text : JSON.stringify(answer));

/** What a probe took that its signal aborted. */
const CUT_OFF = { sent: 30, received: 7 };

/** Holds all probes until `release` is called, or until their signal aborts. */
const held = (prober: FakeProber) => {
  const [begun, released] = [Promise.withResolvers<MadeProbe>(), Promise.withResolvers<void>()];
  prober.answer = async (made) => {
    begun.resolve(made);
    const { signal, onBytes } = made.request;
    await new Promise<void>((resolve, reject) => {
      signal.addEventListener('abort', () => {
        onBytes?.(CUT_OFF);
        reject(signal.reason);
      });
      released.promise.then(resolve);
    });
    return passed;
  };
  return { begun: begun.promise, release: () => released.resolve() };
};

it('is refused until the first round has read the sources of proxies', async () => {
  const file = join(createFolder({ 'list.txt': '192.0.2.9:8000:alice:hunter2\n' }), 'list.txt');
  await using harness = await buildProbes(new FakeProber(), { probes: { proxies: [{ file }] } });
  const answersOf = async () =>
    Promise.all(
      ['192.0.2.9:8000', '192.0.2.8:8000'].map(async (proxy) => textOf(await request(harness, { proxy }))),
    );
  // The daemon does not probe again at once after a restart, and the restart has forgotten the passwords.
  await harness.restart();
  expect(await answersOf()).toEqual([
    expect.stringContaining('the password of this proxy is not known before the first round'),
    expect.stringContaining('the proxies of the account are not known before the first round'),
  ]);
  await harness.advance(5 * MINUTE);
  expect(await answersOf()).toEqual([
    expect.stringContaining('probe_success 1\n'),
    expect.stringContaining('proxy: not one of the probed proxies'),
  ]);
});

it('ends when the daemon stops, which waits until the store knows the bytes', async () => {
  const prober = new FakeProber();
  await using harness = await buildProbes(prober, { probes: { proxies: gateways(1) } });
  const { probeRequests, store } = harness.app;
  const spent = async (): Promise<number> =>
    (await store.probes.spent('probes/main', 0)).reduce((sum, { bytes }) => sum + bytes, 0);
  const before = await spent();
  const { begun } = held(prober);
  const answer = request(harness, { proxy: 'g1' });
  await begun;
  expect(await spent()).toBe(before + MOST_BYTES.tls);
  await probeRequests[Symbol.asyncDispose]();
  expect(await spent()).toBe(before + 37);
  expect(await answer).toEqual({ refusal: 'the daemon is stopping', retryAfterS: 30 });
  prober.take();
  expect(await request(harness, { proxy: 'g1', url: 'shop' })).toMatchObject({
    refusal: 'the daemon is stopping',
  });
  expect([prober.take(), await spent()]).toEqual([[], before + 37]);
});

it('a stop of the whole daemon during a probe loses no answer', async () => {
  const prober = new FakeProber();
  await using harness = await buildProbes(prober, { probes: { proxies: gateways(1) } });
  const { begun } = held(prober);
  const answer = request(harness, { proxy: 'g1' });
  await begun;
  await harness.stop();
  expect(await answer).toMatchObject({ refusal: 'the daemon is stopping' });
});

it('goes on during a reload, and a later request sees the new configuration', async () => {
  const prober = new FakeProber();
  await using harness = await buildProbes(prober);
  const { begun, release } = held(prober);
  const before = request(harness, { url: 'shop' });
  await begun;
  const { settings } = harness;
  const accounts = settings.accounts.map((account) => ({
    ...account,
    probes: account.probes && { ...account.probes, urls: account.probes.urls.slice(0, 1) },
  }));
  await harness.app.reconfigure({ ...settings, accounts });
  expect(await request(harness, { url: 'shop' })).toMatchObject({ mistake: expect.stringMatching(/^url:/) });
  release();
  expect(textOf(await before)).toContain('probe_success 1\n');
  await harness.app.runner.idle();
});

it('a client that waits less does not make the proxy look dead for others', async () => {
  const prober = new FakeProber();
  await using harness = await buildProbes(prober);
  prober.take();
  prober.answer = ({ request }) => (request.timeouts.total < 5_000 ? failed('tunnel', 'timeout') : passed);
  const hasty = textOf(await request(harness, { waitsMs: 1_000 }));
  expect(hasty).toContain('probe_failure_info{phase="tunnel",cause="timeout",code="200"} 1\n');
  expect(textOf(await request(harness, { waitsMs: 10_000 }))).toContain('probe_success 1\n');
  expect(textOf(await request(harness, { waitsMs: 1_000 }))).toContain('probe_success 1\n');
  expect(prober.take()).toHaveLength(2);
});

it('a client that cannot wait for the probe of another one gets a timeout without a phase', async () => {
  const clock = new FakeClock(START);
  const prober = new FakeProber();
  await using harness = await buildProbes(prober, { clock });
  const { begun, release } = held(prober);
  const patient = request(harness);
  await begun;
  const hasty = request(harness, { waitsMs: 1_000 });
  clock.advance(500);
  const text = textOf(await hasty);
  expect(text).toContain('probe_success 0\n');
  expect(text).toContain('probe_duration_seconds 0.5\n');
  expect(text).toContain('probe_failure_info{phase="",cause="timeout",code=""} 1\n');
  expect(text).not.toContain('probe_bytes');
  release();
  expect(textOf(await patient)).toContain('probe_success 1\n');
});
