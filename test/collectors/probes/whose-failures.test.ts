// Tests whose failures the uptime of probed proxies, targets and the vantage counts while this machine is at fault.

import { expect, it } from 'vitest';
import { DAY, MINUTE } from '../../../src/lib/time.ts';
import type { TestSubject } from '../../../src/store/test-history-store.ts';
import type { Harness } from '../../support/harness.ts';
import { FakeProber, failed, passed } from './fake-probe.ts';
import { buildProbes, staticProxies } from './probes-harness.ts';

const SLOT = 5 * MINUTE;
const REFUSED = failed('connect', 'refused');

const failuresOf = async ({ app, clock }: Harness, subject: TestSubject) => {
  const now = clock.now();
  const { ownFailures, otherFailures } = await app.store.tests.uptime(
    ...(['probes/main', subject, now - DAY, now + DAY] as const),
  );
  return { own: ownFailures, others: otherFailures };
};

const rounds = async (harness: Harness, count: number): Promise<void> => {
  for (let round = 0; round < count; round += 1) await harness.advance(SLOT);
};

/** A daemon whose controls are the urls of the probes. */
const build = (prober: FakeProber): Promise<Harness> =>
  buildProbes(prober, { probes: { control: undefined, proxies: staticProxies(5) } });

it('while all controls fail, the failures are those of the vantage, also of a proxy that is at fault', async () => {
  const prober = new FakeProber();
  await using harness = await build(prober);
  prober.answer = ({ at }) => (at === '192.0.2.1' ? REFUSED : passed);
  await rounds(harness, 3);
  const before = await failuresOf(harness, { proxy: 'p1' });
  // The first of the three rounds cannot show the fault yet.
  expect(before).toEqual({ own: 4, others: 0 });
  prober.answer = () => REFUSED;
  await rounds(harness, 2);
  expect(await failuresOf(harness, { proxy: 'p1' })).toEqual({ own: 4, others: 4 });
  expect(await failuresOf(harness, { proxy: 'p2' })).toEqual({ own: 0, others: 4 });
  expect(await failuresOf(harness, { url: 'shop' })).toEqual({ own: 0, others: 12 });
  expect(await failuresOf(harness, { tester: 'local' })).toEqual({ own: 20, others: 4 });
});

it('while the control of one target fails, the failures there are those of the vantage', async () => {
  const prober = new FakeProber();
  await using harness = await build(prober);
  prober.answer = ({ target }) => (target === '/shop' ? REFUSED : passed);
  await rounds(harness, 3);
  expect(await failuresOf(harness, { proxy: 'p2' })).toEqual({ own: 0, others: 3 });
});

it('a used-up quota is nobody’s failure', async () => {
  const prober = new FakeProber();
  await using harness = await build(prober);
  prober.answer = ({ at }) => (at === 'direct' ? passed : failed('tunnel', 'quota'));
  await rounds(harness, 3);
  expect(await failuresOf(harness, { proxy: 'p2' })).toEqual({ own: 0, others: 0 });
});
