// Tests the daemon with proxies that misbehave: each round ends by its time limits, and names phase, cause and fault.

import { expect, test } from 'vitest';
import { MINUTE } from '../../../src/lib/time.ts';
import { makeProbe } from '../../../src/prober/make-probe.ts';
import type { Cause, Phase } from '../../../src/prober/probe.ts';
import type { ProxyFaultInput } from '../../../src/simulator/proxies/proxy-faults.ts';
import { startSimulator } from '../../../src/simulator/simulator.ts';
import { Harness, QuickClock } from '../../support/harness.ts';
import { type LogLine, recordingLog } from '../../support/recording-log.ts';
import { START } from './probes-harness.ts';
import { refusalOfVerdict, verdictOf } from './verdicts.ts';

const ROUNDS = 2;
const REQUEST_ID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

interface Example {
  readonly title: string;
  readonly fault: ProxyFaultInput;
  readonly phase: Phase;
  readonly cause: Cause;
  /** The phase that ends at a short limit. All other limits are as long as they can be. */
  readonly short?: Phase;
  readonly code?: number;
}

const refusal = (code: number, cause: Cause): Example => ({
  ...{ title: `refuses with ${code}`, fault: { kind: 'code', code }, phase: 'tunnel', cause, code },
});

const EXAMPLES: readonly Example[] = [
  { title: 'never reads', fault: { kind: 'silent' }, phase: 'tunnel', cause: 'timeout', short: 'tunnel' },
  {
    title: 'has no banner',
    fault: { kind: 'no_banner' },
    phase: 'tunnel',
    cause: 'timeout',
    short: 'tunnel',
  },
  { title: 'drips its answer', fault: { kind: 'drip' }, phase: 'tunnel', cause: 'timeout', short: 'tunnel' },
  { title: 'is half open', fault: { kind: 'half_open' }, phase: 'tls', cause: 'timeout', short: 'tls' },
  { title: 'answers garbage', fault: { kind: 'garbage' }, phase: 'tunnel', cause: 'protocol' },
  { title: 'closes early', fault: { kind: 'early_close' }, phase: 'tunnel', cause: 'closed' },
  { title: 'resets', fault: { kind: 'reset' }, phase: 'tunnel', cause: 'reset' },
  {
    ...{ title: 'closes after its answer', fault: { kind: 'early_close', after: 'answer' } },
    ...{ phase: 'tls', cause: 'closed' },
  },
  { title: 'does not listen', fault: { kind: 'refused' }, phase: 'connect', cause: 'refused' },
  refusal(2011, 'credentials'),
  refusal(2061, 'options'),
  refusal(3111, 'target_unreachable'),
  refusal(3151, 'target_name'),
  refusal(3161, 'policy'),
  refusal(4231, 'policy'),
  refusal(4221, 'quota'),
  refusal(4511, 'no_node'),
  refusal(5001, 'provider'),
];

const buildWith = async ({ fault, short }: Example, log: LogLine[]) => {
  const clock = new QuickClock(START);
  const simulator = await startSimulator({
    scenario: { start: '2026-07-06T00:00:00Z', pace: null, proxies: 1, proxy_faults: [fault] },
    ...{ now: () => clock.now(), proxies: {} },
  });
  const [proxy] = simulator.proxies.proxies;
  if (!proxy) throw new Error('the account has no proxy');
  const { host, port, username, password } = proxy;
  const timeouts = { resolve: '1m', connect: '1m', tunnel: '1m', tls: '1m', response: '1m' };
  const harness = await Harness.build({
    ...{ now: START, clock, simulator, log: recordingLog(log), probe: makeProbe, firstStepHold: '0s' },
    account: {
      ...{ traffic: false, residential_ledger: false, proxy_users: false, reconciliation: false },
      probes: {
        urls: [{ name: 'check', url: 'https://check.example/', depth: 'tls' }],
        proxies: [{ name: 'p', product_type: 'isp', proxy: `${host}:${port}:${username}:${password}` }],
        control: false,
        timeout: '1m',
        timeouts: { ...timeouts, ...(short && { [short]: '100ms' }) },
      },
    },
  });
  return { simulator, harness };
};

test.each(EXAMPLES)('a proxy that $title: $phase $cause', async (example) => {
  const { phase, cause, code } = example;
  const log: LogLine[] = [];
  const { simulator, harness } = await buildWith(example, log);
  await using _simulator = simulator;
  await using _harness = harness;
  await harness.advance(5 * MINUTE);
  const { source, fault, ...verdict } = verdictOf(phase, cause);
  const samples = await harness.samples();
  const errors = 'proxywatch_proxy_test_errors_total';
  expect(samples.by('error_code', errors, { error_source: source })).toEqual({
    [`${phase}_${cause}`]: ROUNDS,
  });
  const refused = refusalOfVerdict({ ...verdict, source, fault }, cause, code !== undefined);
  const refusals = samples.all('proxywatch_probe_refusals_total').filter(({ value }) => value > 0);
  expect(refusals.map(({ labels }) => labels.class)).toEqual(refused ? [refused] : []);
  const faults = samples.all('proxywatch_fault').filter(({ value }) => value === 1);
  expect(faults.map(({ labels }) => labels.kind)).toEqual(fault === 'none' ? [] : [fault]);
  const lines = log.filter(({ message }) => message === 'fault found by probes');
  expect(lines.map(({ fields }) => fields.kind)).toEqual(fault === 'none' ? [] : [fault]);
  if (fault !== 'proxy' && fault !== 'access') return;
  const requestId = code ? expect.stringMatching(REQUEST_ID) : null;
  const shown = { phase, cause, code: code ? String(code) : null, requestId };
  expect(lines[0]?.fields).toMatchObject(shown);
});
