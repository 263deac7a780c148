// Tests that what ran before the line of this machine failed does not count as a sign that it works, and that asking the
// controls in the middle of a round opens no more sockets than allowed.

import { expect, it } from 'vitest';
import { FakeProber, failed, passed } from './fake-probe.ts';
import { buildProbes, staticProxies } from './probes-harness.ts';

const unreachable = failed('connect', 'unreachable', { proxyAnswer: null });

it('a probe that began before the line failed does not show that it works, although it ends later', async () => {
  const prober = new FakeProber();
  const late = Promise.withResolvers<void>();
  let made = 0;
  let isCut = false;
  prober.answer = async ({ at }) => {
    if (at !== 'direct') made += 1;
    if (made > 30 && !isCut) {
      isCut = true;
      await late.promise;
      return passed;
    }
    // By then, the other worker has stored 100 proxies, and the controls were asked.
    if (made > 300) late.resolve();
    return isCut ? unreachable : passed;
  };
  const probes = { control: undefined, proxies: staticProxies(250), parallel: 2 };
  await using harness = await buildProbes(prober, { probes });
  const samples = await harness.samples();
  expect(samples.value('proxywatch_probe_controls_failing_rounds')).toBe(1);
  const errors = samples.all('proxywatch_proxy_test_errors_total');
  expect(new Set(errors.map(({ labels }) => labels['error_source']))).toEqual(new Set(['here']));
});

it('never opens more sockets than parallel while controls are asked in the middle of a round', async () => {
  const prober = new FakeProber();
  const failing = new Set(['192.0.2.7', '192.0.2.150']);
  prober.answer = async ({ at }) => {
    // A control takes many turns of the event loop, so that several workers store results while it runs.
    for (let turn = 0; at === 'direct' && turn < 20; turn += 1) await new Promise(setImmediate);
    return failing.has(at) ? unreachable : passed;
  };
  const probes = { control: undefined, proxies: staticProxies(250), parallel: 3 };
  await using _harness = await buildProbes(prober, { probes });
  expect(prober.made.filter(({ at }) => at === 'direct').length).toBeGreaterThan(2);
  expect(prober.mostAtOnce).toBe(3);
});
