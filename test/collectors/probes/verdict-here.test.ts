// Tests the verdict about a proxy whose probes failed because of this machine.

import { expect, it } from 'vitest';
import { createTestView } from '../../../src/daemon/tests/test-view.ts';
import { FakeProber, failed, passed } from './fake-probe.ts';
import { buildProbes } from './probes-harness.ts';

it.each([
  ['all', ['/check', '/shop'], '2 of 2'],
  ['some', ['/check'], '1 of 2'],
])('failures of this machine in %s probes show nothing about the proxy', async (_, targets, share) => {
  const prober = new FakeProber();
  prober.answer = ({ at, target }) =>
    at === '192.0.2.1' && targets.includes(target) ? failed('connect', 'local') : passed;
  await using harness = await buildProbes(prober);
  const view = createTestView(harness.app, harness.clock, () => '');
  const details = await view.proxy(harness.app.accounts[0]?.name ?? '', 'p1');
  expect(details?.verdict).toEqual({
    verdict: 'inconclusive',
    text: `${share} probes failed while this machine, its network connection or the control of the target failed. They do not show whether the proxy works. Next: look again after the next round.`,
  });
});
