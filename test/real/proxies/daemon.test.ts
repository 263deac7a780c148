// Tests the daemon with real proxies: the metrics, the fault and the log line of every row of the table of probes.

import { isIP } from 'node:net';
import { beforeAll, expect, test } from 'vitest';
import { type Cause, PHASES, type Phase } from '../../../src/prober/probe.ts';
import { refusalOfVerdict, type VerdictKind, verdictOf } from '../../collectors/probes/verdicts.ts';
import { describeWith } from '../with-programs.ts';
import { type Lab, PROGRAMS, startLab } from './lab.ts';
import { proxyOf, type Row } from './row.ts';
import { ROWS } from './rows.ts';
import { PROXY_NAME, type Rounds, runRounds, URL_NAME } from './rows-daemon.ts';

/** What an operator sees of a row after two rounds. */
interface Seen {
  readonly success: number | undefined;
  /** The source and code of each error, with the number of failures. */
  readonly errors: readonly string[];
  readonly refusals: readonly string[];
  readonly phases: readonly string[];
  readonly faults: readonly string[];
  readonly log: readonly Readonly<Record<string, unknown>>[];
}

const ROUNDS = 2;
const isForwarded = ({ proxy, depth }: Row, url: string, lab: Lab): boolean =>
  depth === 'http' && url.startsWith('http:') && proxy !== null && lab.proxies[proxy].protocol !== 'socks5';

/** The phases that a probe of the row begins. */
const phasesOf = (row: Row, lab: Lab): Phase[] => {
  const url = row.url(lab.targets);
  const hasPhase: Readonly<Record<Phase, boolean>> = {
    resolve: isIP(proxyOf(row, lab)?.host ?? '') === 0,
    connect: true,
    tunnel: !isForwarded(row, url, lab),
    tls: row.depth !== 'tunnel' && url.startsWith('https:'),
    response: row.depth === 'http',
  };
  const last = row.outcome === 'success' ? PHASES.length - 1 : PHASES.indexOf(failureOf(row.outcome).phase);
  return PHASES.filter((phase, index) => hasPhase[phase] && index <= last);
};

const failureOf = (code: string): { readonly phase: Phase; readonly cause: Cause } => {
  const [phase = '', ...words] = code.split('_');
  return { phase: phase as Phase, cause: words.join('_') as Cause };
};

/** Every line of a fault has its reason in words. That of a proxy also has what its support asks for. */
const logOf = (kind: VerdictKind, failure: ReturnType<typeof failureOf>) => {
  if (kind === 'none') return [];
  const line = { message: 'fault found by probes', kind, reason: expect.any(String) };
  if (kind === 'target') return [{ ...line, subject: URL_NAME }];
  const details = { url: URL_NAME, ...failure, code: null, requestId: null };
  return [{ ...line, subject: PROXY_NAME, ...details }];
};

const expectedOf = (row: Row, lab: Lab): Seen => {
  const phases = phasesOf(row, lab).map((phase) => `${phase} ${ROUNDS}`);
  if (row.outcome === 'success') return { success: 1, errors: [], refusals: [], phases, faults: [], log: [] };
  const failure = failureOf(row.outcome);
  const verdict = verdictOf(failure.phase, failure.cause);
  const refusal = refusalOfVerdict(verdict, failure.cause, false);
  const { fault, source } = verdict;
  return {
    success: 0,
    errors: [`${source} ${row.outcome} ${ROUNDS}`],
    refusals: refusal ? [`${refusal} ${ROUNDS}`] : [],
    phases,
    faults: fault === 'none' ? [] : [`${fault} ${fault === 'target' ? URL_NAME : PROXY_NAME}`],
    log: logOf(fault, failure),
  };
};

const seenIn = ({ samples, log }: Rounds): Seen => {
  const counted = (name: string, ...labels: string[]): string[] =>
    samples
      .all(name)
      .filter(({ value }) => value > 0)
      .map((sample) => [...labels.map((label) => sample.labels[label]), sample.value].join(' '));
  const phases = counted('proxywatch_probe_phase_seconds_count', 'phase');
  return {
    success: samples.value('proxywatch_proxy_test_success'),
    errors: counted('proxywatch_proxy_test_errors_total', 'error_source', 'error_code'),
    refusals: counted('proxywatch_probe_refusals_total', 'class'),
    phases: PHASES.flatMap((phase) => phases.filter((counts) => counts.startsWith(`${phase} `))),
    faults: samples
      .all('proxywatch_fault')
      .filter(({ value }) => value === 1)
      .map(({ labels: { kind, proxy_id, url } }) => `${kind} ${proxy_id}${url}`),
    log: log.map(({ message, fields: { account: _account, collector: _collector, ...fields } }) => ({
      message,
      ...fields,
    })),
  };
};

/** Whether such a connection is closed or reset depends on what the proxy has read before it closes. */
const withoutResets = (seen: Seen): Seen =>
  JSON.parse(
    JSON.stringify(seen).replaceAll('tunnel_reset', 'tunnel_closed').replaceAll('"reset"', '"closed"'),
  );

const nameOf = ({ proxy, depth, title, outcome }: Row): string =>
  `${proxy ?? 'no proxy'}, ${depth}, ${title}: ${outcome}`;

const numbered = ROWS.map((row, index): [string, Row, number] => [nameOf(row), row, index]);

describeWith(PROGRAMS, 'what the daemon shows of a real proxy', () => {
  let expected: Seen[];
  let rounds: Rounds[];
  beforeAll(async () => {
    await using lab = await startLab();
    rounds = await runRounds(ROWS, lab);
    expected = ROWS.map((row) => expectedOf(row, lab));
  });

  test.each(numbered.filter(([, { proxy }]) => proxy !== null))('%s', (_name, row, index) => {
    const seen = seenIn(rounds[index] as Rounds);
    expect(row.mayReset ? withoutResets(seen) : seen).toEqual(expected[index]);
  });

  // A row without a proxy is a control. The proxy of its account works, and finds the target as the control does.
  test.each(numbered.filter(([, { proxy }]) => proxy === null))('%s', (_name, { outcome }, index) => {
    const { samples, log } = rounds[index] as Rounds;
    const { errors, faults } = seenIn(rounds[index] as Rounds);
    const controls = log.flatMap(({ fields }) => fields.controls ?? []);
    const isSuccessful = outcome === 'success';
    expect(samples.value('proxywatch_probe_control_success')).toBe(Number(isSuccessful));
    expect(samples.value('proxywatch_probe_controls_failing_rounds')).toBe(0);
    // The log says that the line works, although no control gets an answer.
    const isAnswered = isSuccessful || /_(certificate|status|header|body)$/.test(outcome);
    expect(controls).toEqual(isAnswered ? [] : [{ url: URL_NAME, error: outcome }]);
    // The target fails behind the proxy too, which shows nothing about the proxy.
    if (isSuccessful) return;
    expect(faults).toEqual([`target ${URL_NAME}`]);
    for (const error of errors) expect(error).toMatch(/^here /);
  });
});
