// Tests when the line of this machine is at fault: only if no control gets an answer, and no proxy answers.

import { describe, expect, it } from 'vitest';
import { MOST_BYTES } from '../../../src/collectors/probes/budget/byte-prices.ts';
import { lineDownRoundsOf } from '../../../src/collectors/probes/controls.ts';
import { MINUTE } from '../../../src/lib/time.ts';
import type { ProbeFailure } from '../../../src/prober/probe.ts';
import type { Harness } from '../../support/harness.ts';
import { recordingLog } from '../single-collector.ts';
import { FakeProber, failed, passed } from './fake-probe.ts';
import { buildProbes, gateways, staticProxies } from './probes-harness.ts';

const SLOT = 5 * MINUTE;
const FAILING_ROUNDS = 'proxywatch_probe_controls_failing_rounds';
const unreachable = failed('connect', 'unreachable', { proxyAnswer: null });

const failingRounds = async (harness: Harness): Promise<number | undefined> =>
  (await harness.samples()).value(FAILING_ROUNDS);

/** The numbers of failed probes by their source. */
const sources = async (harness: Harness): Promise<Record<string, number>> => {
  const counts: Record<string, number> = {};
  for (const { labels, value } of (await harness.samples()).all('proxywatch_proxy_test_errors_total')) {
    const source = labels['error_source'] ?? '';
    counts[source] = (counts[source] ?? 0) + value;
  }
  return counts;
};

const through = (made: readonly string[]): string[] => made.filter((each) => !each.startsWith('direct'));

describe('a control that gets an answer', () => {
  it.each<[ProbeFailure['phase'], ProbeFailure['cause']]>([
    ['response', 'status'],
    ['response', 'header'],
    ['response', 'body'],
    ['tls', 'certificate'],
  ])('shows that the line works, although the control fails: %s %s', async (phase, cause) => {
    const prober = new FakeProber();
    prober.answer = () => failed(phase, cause);
    const probes = { control: undefined, proxies: [...staticProxies(1), ...gateways(1)] };
    await using harness = await buildProbes(prober, { probes });
    expect(through(prober.take())).toHaveLength(4);
    expect(await failingRounds(harness)).toBe(0);
    const controls = (await harness.samples()).all('proxywatch_probe_control_success');
    expect(controls.map(({ value }) => value)).toEqual([0, 0]);
    // The control of each url fails, so the probes show nothing about the proxies.
    expect(await sources(harness)).toEqual({ here: 4 });
  });

  it.each(['dns', 'refused', 'unreachable', 'timeout', 'reset', 'closed', 'protocol', 'local'] as const)(
    'is not one that ends with %s',
    async (cause) => {
      const prober = new FakeProber();
      prober.answer = () => failed('connect', cause, { proxyAnswer: null });
      await using harness = await buildProbes(prober, { probes: { control: undefined } });
      expect(await failingRounds(harness)).toBe(1);
    },
  );
});

describe('controls without an answer, while probes pass', () => {
  /** Only the second proxy fails. */
  const blockedHere = (): FakeProber => {
    const prober = new FakeProber();
    prober.answer = ({ at }) => (at === 'direct' || at === '192.0.2.2' ? unreachable : passed);
    return prober;
  };

  it('show nothing, so that the proxy that fails is at fault', async () => {
    const log = recordingLog();
    const probes = { control: undefined, proxies: staticProxies(5) };
    await using harness = await buildProbes(blockedHere(), { probes, log });
    await harness.advance(SLOT);
    expect(await failingRounds(harness)).toBe(0);
    expect(await sources(harness)).toEqual({ proxy: 4 });
    const faults = (await harness.samples()).all('proxywatch_fault').filter(({ value }) => value === 1);
    expect(faults.map(({ labels }) => [labels['kind'], labels['proxy_id']])).toEqual([['proxy', 'p2']]);
    const said = log.lines.filter(({ message }) => /control/.test(message));
    expect(said.map(({ message }) => message)).toEqual([
      expect.stringMatching(
        /^no control gets an answer, but proxies answer, so the line of this machine works: /,
      ),
    ]);
  });

  it('let metered proxies be probed, after another proxy has passed', async () => {
    const prober = blockedHere();
    const proxies = [...gateways(3), ...staticProxies(2)];
    await using _harness = await buildProbes(prober, { probes: { control: undefined, proxies } });
    const order = [...new Set(through(prober.take()).map((made) => made.split(' ')[0]))];
    expect(order.slice(0, 2).sort()).toEqual(['192.0.2.1', '192.0.2.2']);
    expect(order.slice(2).sort()).toEqual(['203.0.113.1', '203.0.113.2', '203.0.113.3']);
  });

  it('let metered proxies be probed, if the first of them passes', async () => {
    const prober = blockedHere();
    const probes = { control: undefined, proxies: gateways(3), parallel: 10 };
    await using harness = await buildProbes(prober, { probes });
    const probed = through(prober.take()).map((made) => made.split(' ')[0]);
    expect(probed[0]).toBe(probed[1]);
    expect(new Set(probed).size).toBe(3);
    expect(await failingRounds(harness)).toBe(0);
  });

  it('do not become a fault of the line in a round without any probe', async () => {
    const prober = blockedHere();
    // The budget allows only the first of these rounds.
    const probes = { control: undefined, proxies: gateways(1), max_bytes_per_day: 2 * MOST_BYTES.tls };
    await using harness = await buildProbes(prober, { probes });
    expect(through(prober.take())).toHaveLength(2);
    for (let round = 0; round < 2; round += 1) await harness.advance(SLOT);
    expect(through(prober.take())).toEqual([]);
    expect(await failingRounds(harness)).toBe(0);
  });
});

describe('controls without an answer, while proxies answer but no probe passes', () => {
  it.each<[ProbeFailure['cause'], Record<string, number>, number]>([
    ['credentials', { client: 10 }, 5],
    // Both targets are down, because they fail with and without proxies.
    ['target_unreachable', { here: 10 }, 2],
  ])('are no fault of the line: %s', async (cause, expected, faults) => {
    const prober = new FakeProber();
    prober.answer = ({ at }) => (at === 'direct' ? unreachable : failed('tunnel', cause));
    const probes = { control: undefined, proxies: staticProxies(5), fault_after: 1 };
    await using harness = await buildProbes(prober, { probes });
    expect(await failingRounds(harness)).toBe(0);
    expect(await sources(harness)).toEqual(expected);
    const found = (await harness.samples()).all('proxywatch_fault').filter(({ value }) => value === 1);
    expect(found).toHaveLength(faults);
  });

  it.each<[ProbeFailure['phase'], ProbeFailure['cause'], number]>([
    ['connect', 'certificate', 0],
    ['tunnel', 'credentials', 0],
    ['tunnel', 'timeout', 1],
    ['resolve', 'local', 1],
  ])('need an answer that a dead line cannot have: %s %s', async (phase, cause, rounds) => {
    const prober = new FakeProber();
    prober.answer = ({ at }) => (at === 'direct' ? unreachable : failed(phase, cause, { proxyAnswer: null }));
    await using harness = await buildProbes(prober, { probes: { control: undefined } });
    expect(await failingRounds(harness)).toBe(rounds);
  });
});

describe('a line that does not work', () => {
  it('costs the probes of one metered proxy, which take no bytes', async () => {
    const prober = new FakeProber();
    prober.answer = () => ({ ...unreachable, bytes: { sent: 0, received: 0 } });
    const probes = { control: undefined, proxies: gateways(3) };
    await using harness = await buildProbes(prober, { probes });
    expect(through(prober.take())).toHaveLength(2);
    expect(await failingRounds(harness)).toBe(1);
    expect(await sources(harness)).toEqual({ here: 2 });
  });

  it('is at fault for all probes that no proxy answered, if it fails in the middle of a round', async () => {
    const prober = new FakeProber();
    let isCut = false;
    prober.answer = ({ at }) => {
      isCut ||= at === '192.0.2.3';
      return isCut ? unreachable : passed;
    };
    const log = recordingLog();
    const probes = { control: undefined, proxies: staticProxies(6), parallel: 1 };
    await using harness = await buildProbes(prober, { probes, log });
    expect(Object.keys(await sources(harness))).toEqual(['here']);
    expect(await failingRounds(harness)).toBe(1);
    const said = log.lines.filter(({ message }) => /control/.test(message));
    expect(said.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^no control gets an answer, and no proxy answers, so /),
    ]);
  });

  it('is at fault for what failed before it came back in the middle of a round', async () => {
    const prober = new FakeProber();
    let left = 5;
    prober.answer = () => {
      left -= 1;
      return left >= 0 ? unreachable : passed;
    };
    const log = recordingLog();
    const probes = { control: undefined, proxies: [...staticProxies(6), ...gateways(2)], parallel: 1 };
    await using harness = await buildProbes(prober, { probes, log });
    expect(await sources(harness)).toEqual({ here: 3 });
    expect(await failingRounds(harness)).toBe(0);
    expect(through(prober.take())).toHaveLength(16);
    expect(log.lines.filter(({ message }) => /control/.test(message))).toEqual([]);
  });
});

it('the control of a url that begins to fail in the middle of a round makes its probes undecided', async () => {
  const prober = new FakeProber();
  let isDown = false;
  prober.answer = ({ at, target }) => {
    isDown ||= at === '192.0.2.3';
    return isDown && target === '/shop' ? unreachable : passed;
  };
  const probes = { control: undefined, proxies: staticProxies(6), parallel: 1 };
  await using harness = await buildProbes(prober, { probes });
  expect(Object.keys(await sources(harness))).toEqual(['here']);
  expect(await failingRounds(harness)).toBe(0);
  const controls = (await harness.samples()).all('proxywatch_probe_control_success');
  expect(controls.map(({ labels, value }) => [labels['url'], value])).toEqual([
    ['check', 1],
    ['shop', 0],
  ]);
});

it('is at fault for as many rounds as every control', () => {
  const after = (...rounds: number[]) =>
    lineDownRoundsOf(
      rounds.map((unreachedRounds, n) => ({
        ...{ url: `control-${n}`, unreachedRounds, isSuccessful: unreachedRounds === 0 },
        ...{ failingRounds: unreachedRounds, at: 0, error: null },
      })),
    );
  expect([after(3, 2), after(3, 0), after()]).toEqual([2, 0, 0]);
});
