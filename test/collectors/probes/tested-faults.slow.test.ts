// Tests what is at fault for each cause if the provider tests the same proxy: the fault, the alert and the log line.

import { describe, expect, test } from 'vitest';
import { MINUTE } from '../../../src/lib/time.ts';
import { CAUSES, type Cause, type Phase, type ProxyAnswer } from '../../../src/prober/probe.ts';
import { alertsFound } from '../../alerts/findings.ts';
import type { Harness } from '../../support/harness.ts';
import { type LogLine, recordingLog } from '../../support/recording-log.ts';
import { hostOf } from '../proxy-tests/tests-harness.ts';
import { buildBoth, SHOP } from './both-vantages.ts';
import { FakeProber, failed } from './fake-probe.ts';

const REQUEST_ID = '7e0b8a52-13f0-4a8e-9d3c-0f3a0a3d7c11';
const HALF_HOUR = 30 * MINUTE;
const ALERTS = [
  ...['ProxyFailing', 'ProxiesFailing', 'ProxyTargetBlocked', 'ProxyTesterFailing', 'ProviderOutage'],
  ...[
    'ProxyTestsInconclusive',
    'ProbesInconclusive',
    'ProbesFailingHere',
    'ProxyUnusableHere',
    'ExitAddressWrong',
  ],
];
/** What the customer sets, also if it fails everywhere. */
const OWN_SETTINGS: Readonly<Partial<Record<Cause, string>>> = {
  credentials: 'its user name and password',
  options: 'the options in its user name',
};
const POLICY = 'the provider’s policy refuses this target through these proxies';

type Kind = 'access' | 'target' | 'none';
interface Row {
  readonly phase: Phase;
  readonly cause: Cause;
  readonly code: string | null;
  /** The fault from here if the provider's testers pass. */
  readonly kind: Kind;
  /** The words of its reason. */
  readonly words: string;
}

const row = (phase: Phase, cause: Cause, words: string, code: string | null = null): Row => ({
  ...{ phase, cause, code, words, kind: 'access' },
});

const ROWS: readonly Row[] = [
  row('resolve', 'dns', 'this machine cannot resolve the name of the proxy'),
  row('connect', 'refused', 'the proxy refuses the connection from here'),
  row('connect', 'unreachable', 'this machine has no route to the proxy'),
  row('tunnel', 'reset', 'the connection to the proxy is reset'),
  row('tunnel', 'closed', 'the proxy closes the connection from here without an answer'),
  row('tunnel', 'timeout', 'no answer of the proxy arrives here'),
  row('tls', 'timeout', 'the connection through the proxy fails from here'),
  row(
    'tunnel',
    'credentials',
    'the proxy refuses the user name and password, or the address of this machine is not authorized',
    '2011',
  ),
  row('tunnel', 'options', 'the provider does not accept the options in the user name of the proxy', '2061'),
  { ...row('tunnel', 'quota', '', '4221'), kind: 'none' },
  row('tunnel', 'no_node', 'the provider has no node for the options of the proxy', '4511'),
  { ...row('tunnel', 'policy', POLICY, '4231'), kind: 'target' },
  row('tunnel', 'provider', 'the provider reports a fault of its own for requests from here', '5001'),
  row('tunnel', 'target_name', 'the proxy does not accept the name of the target', '3151'),
  row('tunnel', 'target_refused', 'the target refuses the connection of the proxy'),
  row('tunnel', 'target_unreachable', 'the proxy does not reach the target', '3111'),
  row(
    'tunnel',
    'proxy_or_target',
    'the proxy does not open the connection, because of itself or of the target',
  ),
  row('connect', 'certificate', 'this machine does not trust the certificate of the proxy'),
  row('tls', 'certificate', 'this machine does not trust the certificate of the target'),
  row('response', 'status', 'the target does not answer as expected'),
  row('response', 'header', 'the target does not answer as expected'),
  row('response', 'body', 'the target does not answer as expected'),
  row('tunnel', 'proxy_error', 'the proxy refuses the request', '9021'),
  row('tunnel', 'protocol', 'the answer of the proxy is not of its protocol'),
  { ...row('connect', 'local', ''), kind: 'none' },
];

const answerTo = ({ phase, code }: Row): ProxyAnswer | null =>
  phase === 'tunnel' && code !== null ? { status: 403, code, requestId: REQUEST_ID } : null;

/** Probes and tests one proxy at one url for half an hour. The probes fail, and the tests during an outage only. */
const watch = async (each: Row, log: LogLine[], hasOutage: boolean): Promise<Harness> => {
  const prober = new FakeProber();
  prober.answer = () => failed(each.phase, each.cause, { proxyAnswer: answerTo(each) });
  const harness = await buildBoth(prober, {
    ...{ log: recordingLog(log), proxies: 1 },
    ...{ probes: { urls: [SHOP], control: false }, tests: { urls: [SHOP] } },
    outages: hasOutage ? [{ kind: 'proxy', subject: hostOf(0) }] : [],
  });
  for (let passed = 0; passed < HALF_HOUR; passed += 5 * MINUTE) await harness.advance(5 * MINUTE);
  return harness;
};

test('a proxy that the provider tests too has one series with 0, that of the testers', async () => {
  await using harness = await buildBoth(new FakeProber(), { proxies: 2 });
  const series = (await harness.samples()).all('proxywatch_fault').map(({ labels }) => labels);
  const ofProxies = series.filter(({ proxy_id }) => proxy_id !== '');
  expect(ofProxies.map((labels) => [labels.kind, labels.proxy_id, labels.tester_server])).toEqual(
    ['p0', 'p1'].map((id) => ['proxy', id, '']),
  );
});

const faultsOf = async (harness: Harness): Promise<string[]> =>
  (await harness.samples())
    .all('proxywatch_fault')
    .filter(({ value }) => value === 1)
    .map(({ labels: { kind, proxy_id, url, tester_server } }) =>
      [kind, proxy_id, url, tester_server].filter(Boolean).join(' '),
    );

const linesOf = (log: readonly LogLine[], message: string) =>
  log
    .filter((line) => line.message === message)
    .map(({ fields: { account: _account, collector: _collector, ...fields } }) => fields);

const FROM_HERE = 'fault found by probes';
const BY_TESTERS = 'fault found';

/** What the log shows of the last failure, for the provider's support. */
const shown = ({ phase, cause, code }: Row) => ({
  ...{ url: 'shop', phase, cause, code, requestId: code === null ? null : REQUEST_ID },
});

const targetLine = { kind: 'target', subject: 'shop', reason: POLICY };

const named = ROWS.map((each): [string, Row] => [`${each.phase}_${each.cause}`, each]);

test('the rows have every cause', () => {
  expect(new Set(ROWS.map(({ cause }) => cause))).toEqual(new Set(CAUSES));
});

/** When an answer of the provider is found, nothing shows that the earlier failures had the same cause. */
const reasonOf = (name: string, { cause, words }: Row): string =>
  cause === 'no_node' || cause === 'provider'
    ? `it fails from here: ${words} (${name}); it passed from the provider’s testers before that, and they have not tested it since (newest test: 2026-07-06 12:01 UTC)`
    : `it passes from the provider’s testers and fails from here: ${words} (${name})`;

describe('a proxy that passes from the provider’s testers', () => {
  const SEEN = {
    access: { faults: ['access p0 local'], alerts: ['ProxyUnusableHere'] },
    target: { faults: ['target shop local'], alerts: ['ProxyTargetBlocked'] },
    none: { faults: [], alerts: [] },
  } as const;

  test.each(named)('%s', async (name, each) => {
    const log: LogLine[] = [];
    await using harness = await watch(each, log, false);
    const { faults, alerts } = SEEN[each.kind];
    expect(await faultsOf(harness)).toEqual(faults);
    expect(await alertsFound(harness, ALERTS)).toEqual(alerts);
    const accessLine = { kind: 'access', subject: 'p0', reason: reasonOf(name, each), ...shown(each) };
    const lines = { access: [accessLine], target: [targetLine], none: [] };
    expect(linesOf(log, FROM_HERE)).toEqual(lines[each.kind]);
    expect(linesOf(log, BY_TESTERS)).toEqual([]);
  });
});

describe('a proxy that fails from the provider’s testers too', () => {
  test.each(named)('%s', async (_name, each) => {
    const log: LogLine[] = [];
    await using harness = await watch(each, log, true);
    const isTarget = each.kind === 'target';
    const setting = OWN_SETTINGS[each.cause];
    // The tests find the fault of the proxy, which then replaces that of the probes. Own settings explain both.
    expect(await faultsOf(harness)).toEqual([
      ...(isTarget ? ['target shop local'] : []),
      ...(setting ? ['access p0 local', 'access p0'] : ['proxy p0']),
    ]);
    expect(await alertsFound(harness, ALERTS)).toEqual([
      setting ? 'ProxyUnusableHere' : 'ProxyFailing',
      ...(isTarget ? ['ProxyTargetBlocked'] : []),
    ]);
    const failsToo = setting ? ' are refused from here, and it fails from the provider’s testers too' : '';
    const what = setting ? `${setting}${failsToo}` : 'it fails from here and from the provider’s testers';
    const kind = setting ? 'access' : 'proxy';
    const reason = `${what}: ${each.words} (${each.phase}_${each.cause})`;
    const lines = {
      access: [{ kind, subject: 'p0', reason, ...shown(each) }],
      target: [targetLine],
      none: [],
    };
    expect(linesOf(log, FROM_HERE)).toEqual(lines[each.kind]);
    const tested =
      '2 of 2 tests fail, 2 rounds in a row; the testers report an error of the proxy: connection refused (connection_refused)';
    const testedReason = setting ? `${setting}${failsToo} (${tested})` : tested;
    expect(linesOf(log, BY_TESTERS)).toEqual([{ kind, subject: 'p0', reason: testedReason }]);
  });
});
