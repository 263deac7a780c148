// Tests what the daemon finds to be at fault for failing probes, and what its log says about it.

import { describe, expect, it } from 'vitest';
import { MINUTE } from '../../../src/lib/time.ts';
import type { ProbeResult } from '../../../src/prober/probe.ts';
import type { Harness } from '../../support/harness.ts';
import { recordingLog } from '../single-collector.ts';
import { FakeProber, failed, passed } from './fake-probe.ts';
import { buildProbes, staticProxies } from './probes-harness.ts';

const SLOT = 5 * MINUTE;
const REQUEST_ID = '7e0b8a52-13f0-4a8e-9d3c-0f3a0a3d7c11';

const faultsOf = async (harness: Harness): Promise<string[]> =>
  (await harness.samples())
    .all('proxywatch_fault')
    .filter(({ value, labels }) => value === 1 && labels['tester_server'] === 'local')
    .map(({ labels: { kind, proxy_id, url } }) => `${kind} ${proxy_id}${url}`);

const wrongCredentials: ProbeResult = failed('tunnel', 'credentials', {
  proxyAnswer: { status: 407, code: '2011', requestId: REQUEST_ID },
  refusal: 'credentials',
});

it('the series of a fault begins with a failed probe, goes from 0 to 1 and back, and ends after eight rounds without one', async () => {
  const prober = new FakeProber();
  await using harness = await buildProbes(prober, { probes: { proxies: staticProxies(5) } });
  const rounds: number[][] = [];
  for (let round = 1; round <= 10; round += 1) {
    prober.answer = ({ at }) => (at === '192.0.2.1' && round <= 2 ? wrongCredentials : passed);
    await harness.advance(SLOT);
    const series = (await harness.samples()).all('proxywatch_fault', { kind: 'access' });
    rounds.push(series.map(({ value }) => value));
  }
  const passing = Array.from({ length: 6 }, () => [0]);
  expect(rounds).toEqual([[0], [1], [1], ...passing, []]);
});

describe('a proxy that refuses the credentials', () => {
  const setUp = async () => {
    const prober = new FakeProber();
    prober.answer = ({ at }) => (at === '192.0.2.1' ? wrongCredentials : passed);
    const log = recordingLog();
    const harness = await buildProbes(prober, { probes: { proxies: staticProxies(5) }, log });
    return { prober, log, harness };
  };

  it('cannot be used from here, after fault_after rounds', async () => {
    const { harness } = await setUp();
    await using _harness = harness;
    expect(await faultsOf(harness)).toEqual([]);
    await harness.advance(SLOT);
    expect(await faultsOf(harness)).toEqual(['access p1']);
  });

  it('is logged when the fault begins, with the request id, and when it ends', async () => {
    const { prober, log, harness } = await setUp();
    await using _harness = harness;
    await harness.advance(SLOT);
    await harness.restart();
    prober.answer = () => passed;
    for (let round = 0; round < 3; round += 1) await harness.advance(SLOT);
    expect(await faultsOf(harness)).toEqual([]);
    const [begun, ended, ...more] = log.lines.filter(({ message }) => message.startsWith('fault'));
    expect(begun).toMatchObject({
      ...{ kind: 'access', subject: 'p1', phase: 'tunnel', cause: 'credentials', code: '2011' },
      requestId: REQUEST_ID,
    });
    expect(ended).toMatchObject({
      kind: 'access',
      subject: 'p1',
      message: 'fault found by probes has ended',
    });
    expect(more).toEqual([]);
    expect(JSON.stringify(log.lines)).not.toMatch(/hunter2|t0ken/);
  });
});

describe('many proxies that fail from here together', () => {
  const linesOf = async (count: number) => {
    const prober = new FakeProber();
    prober.answer = () => failed('connect', 'refused');
    const log = recordingLog();
    await using harness = await buildProbes(prober, { probes: { proxies: staticProxies(count) }, log });
    await harness.advance(SLOT);
    expect(await faultsOf(harness)).toHaveLength(count);
    prober.answer = () => passed;
    for (let round = 0; round < 3; round += 1) await harness.advance(SLOT);
    expect(await faultsOf(harness)).toEqual([]);
    return log.lines.filter(({ message }) => message.startsWith('fault'));
  };

  it('are logged in one line, and their ends in another', async () => {
    const subjects = ['p1', 'p10', 'p11', 'p12', 'p2'];
    const failure = { phase: 'connect', cause: 'refused' };
    expect(await linesOf(12)).toMatchObject([
      {
        ...{ kind: 'access', count: 12, subjects, message: 'fault found by probes' },
        ...{
          reason: expect.stringMatching(/^12 of 12 proxies fail from here in the same way: /),
          ...failure,
        },
      },
      { kind: 'access', count: 12, subjects, message: 'fault found by probes has ended' },
    ]);
  });

  it('are logged in a line each if they are few', async () => {
    const subjects = ['p1', 'p2', 'p3', 'p4', 'p5'];
    const lines = await linesOf(5);
    expect(lines.map(({ subject }) => subject)).toEqual([...subjects, ...subjects]);
  });
});

it('a failing line of this machine is no fault of a proxy', async () => {
  const prober = new FakeProber();
  await using harness = await buildProbes(prober, {
    probes: { control: undefined, proxies: staticProxies(12) },
  });
  prober.answer = () => failed('connect', 'unreachable');
  for (let round = 0; round < 4; round += 1) await harness.advance(SLOT);
  expect(await faultsOf(harness)).toEqual([]);
  prober.answer = () => passed;
  await harness.advance(SLOT);
  expect(await faultsOf(harness)).toEqual([]);
});

it('a used-up quota is no fault of a proxy, target or the provider', async () => {
  const prober = new FakeProber();
  prober.answer = () => failed('tunnel', 'quota', { refusal: 'quota' });
  await using harness = await buildProbes(prober, { probes: { proxies: staticProxies(12) } });
  for (let round = 0; round < 3; round += 1) await harness.advance(SLOT);
  expect(await faultsOf(harness)).toEqual([]);
});
