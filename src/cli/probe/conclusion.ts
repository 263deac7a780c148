// Answers in one sentence why the proxy fails, and what to do next.

import { AFTER_TUNNEL, adviceOn } from '../../prober/advice.ts';
import type { Cause, ProbeFailure, ProbeProxy, ProbeResult, ProbeTarget } from '../../prober/probe.ts';

/** What was probed, and what came out. */
export interface Outcome {
  readonly proxy: ProbeProxy;
  readonly target: ProbeTarget;
  readonly result: ProbeResult;
  /** Undefined if no control was wanted. */
  readonly control: ProbeResult | undefined;
}

export const conclusionOf = ({
  proxy,
  result,
  control,
}: Pick<Outcome, 'result' | 'control'> & Partial<Pick<Outcome, 'proxy'>>): string => {
  const { failure } = result;
  const controlKind = controlKindOf(control);
  if (!failure) return `${WORKS[controlKind]}${messageOf(control, controlKind)}.`;
  const [opening, nextStep] = VERDICTS[failureKindOf(failure, result, proxy?.protocol)][controlKind];
  const next = nextStep(failure, control?.failure?.message ?? '');
  return `${opening} (${failure.phase}_${failure.cause}): ${failure.message}; ${next}.`;
};

const messageOf = (control: Outcome['control'], kind: ControlKind): string =>
  control?.failure && kind !== 'none' ? `: ${control.failure.message}` : '';

const ANSWERS_OTHERWISE = 'The proxy works, but without it the target does not answer as expected';

const WORKS: Readonly<Record<ControlKind, string>> = {
  none: 'The proxy works',
  ok: 'The proxy works',
  unreached: 'The proxy works, but without it the target cannot be reached from this machine',
  tls: ANSWERS_OTHERWISE,
  certificate: ANSWERS_OTHERWISE,
  response: ANSWERS_OTHERWISE,
};

/** `control` is the message of the control's failure; empty without one. */
type NextStep = (failure: ProbeFailure, control: string) => string;

type Verdict = readonly [opening: string, nextStep: NextStep];

const advice: NextStep = (failure) => adviceOn(failure);
/** A forwarded request has no tunnel, so advice about the proxy is that of the tunnel. */
const adviceOnProxy: NextStep = (failure) =>
  adviceOn(failure.phase === 'response' ? { ...failure, phase: 'tunnel' } : failure);
/** The usual advice, to compare with the target without the proxy, has been followed already. */
const adviceOnTunnel: NextStep = (failure, control) =>
  (ADVICE_ON_TUNNEL[failure.cause] ?? askOperatorOfExit)(failure, control);
const askOperatorOfExit: NextStep = () =>
  'ask the operator of the target whether it blocks the address of the proxy, or try another proxy';
const ADVICE_ON_TUNNEL: Readonly<Partial<Record<Cause, NextStep>>> = {
  ...{ timeout: advice, closed: advice, reset: advice },
  target_name: () => 'ask the operator of the proxy about its DNS servers, or try another proxy',
  proxy_or_target: () => 'ask the operator of the proxy, or try another proxy',
};
const adviceOnUnclearTunnel: NextStep = (failure) =>
  UNANSWERED.has(failure.cause)
    ? `${SOME_CLOSE}, so ${AFTER_TUNNEL}, and ${adviceOn(failure)}`
    : adviceOn(failure);
const SOME_CLOSE = 'some proxies close the connection if they do not reach the target';
const askOperator: NextStep = () =>
  'the target answers without the proxy, so ask its operator whether it blocks proxies, or try another proxy';
const checkTarget: NextStep = (_, control) =>
  `without the proxy, ${control}, so check the target and the network of this machine`;
const checkNetwork: NextStep = (_, control) =>
  `without the proxy, ${control}, so check the network of this machine first`;
const notComparable: NextStep = (_, control) =>
  `without the proxy, ${control}, so the certificates cannot be compared`;
const keepSecrets: NextStep = () => 'do not send anything secret through this proxy';

const NOT_MADE: Verdict = ['This machine could not make the probe', advice];
const UNCLEAR: Verdict = ['The proxy or the target fails', advice];
const FAILS: Verdict = ['The proxy fails', adviceOnProxy];
const ONLY_PROXY: Verdict = ['The proxy fails, and the target answers without it', adviceOnProxy];
const BLOCKED: Verdict = ['The proxy fails, and the target answers without it', askOperator];
const REACHED_HERE: Verdict = ['The proxy fails, and this machine reaches the target without it', advice];
const BOTH_FAIL: Verdict = ['The proxy fails, and so does the target without it', adviceOnProxy];
const NEITHER: Verdict = ['This machine reaches neither the proxy nor the target', checkNetwork];
const NOT_PROXY: Verdict = [
  'The proxy is probably not at fault, because the target fails without it too',
  checkTarget,
];
const OTHER_ANSWER = 'The proxy works, but the target does not answer as expected';
const UNTRUSTED = 'The certificate of the target is wrong, or the proxy intercepts TLS';
const INTERCEPTED: Verdict = [
  'The target has a trusted certificate without the proxy, but not through it',
  keepSecrets,
];

/** The same verdict for all controls that have reached the target. */
const reached = (verdict: Verdict) => ({ tls: verdict, certificate: verdict, response: verdict });

const VERDICTS: Readonly<Record<FailureKind, Readonly<Record<ControlKind, Verdict>>>> = {
  here: { none: NOT_MADE, ok: NOT_MADE, unreached: NOT_MADE, ...reached(NOT_MADE) },
  unreached: { none: FAILS, ok: ONLY_PROXY, unreached: NEITHER, ...reached(REACHED_HERE) },
  proxy: { none: FAILS, ok: ONLY_PROXY, unreached: BOTH_FAIL, ...reached(BOTH_FAIL) },
  tunnel: {
    none: [UNCLEAR[0], adviceOnUnclearTunnel],
    ok: [ONLY_PROXY[0], adviceOnTunnel],
    unreached: NOT_PROXY,
    ...reached([REACHED_HERE[0], adviceOnTunnel]),
  },
  behind: { none: UNCLEAR, ok: BLOCKED, unreached: NOT_PROXY, ...reached(NOT_PROXY) },
  answer: {
    none: [OTHER_ANSWER, advice],
    ok: [OTHER_ANSWER, askOperator],
    unreached: NOT_PROXY,
    ...reached(NOT_PROXY),
  },
  // Interception must never be excused by a target that fails in another way.
  distrust: {
    none: [UNTRUSTED, advice],
    ok: INTERCEPTED,
    unreached: [UNTRUSTED, notComparable],
    tls: [UNTRUSTED, notComparable],
    certificate: NOT_PROXY,
    response: INTERCEPTED,
  },
};

/**
 * What the failure of a probe through a proxy shows.
 *
 * - here: this machine could not make the probe
 * - unreached: the connection to the proxy fails
 * - proxy: the proxy refuses or breaks the protocol, whatever the target does
 * - tunnel: the proxy does not reach the target, or opens no tunnel without a reason
 * - behind: the connection behind the proxy fails
 * - distrust: the certificate of the target is not trusted
 * - answer: the target answered, but not as expected
 */
type FailureKind = 'here' | 'unreached' | 'proxy' | 'tunnel' | 'behind' | 'distrust' | 'answer';

/** What the probe without the proxy shows. In `tls`, `certificate` and `response`, this machine has reached the target. */
type ControlKind = 'none' | 'ok' | 'unreached' | 'tls' | 'certificate' | 'response';

const ANSWERS: ReadonlySet<Cause> = new Set(['status', 'header', 'body'] as const);
const PROXY_REFUSALS: ReadonlySet<Cause> = new Set([
  ...(['credentials', 'options', 'quota', 'no_node', 'policy', 'provider', 'proxy_error'] as const),
]);
const ABOUT_TARGET: ReadonlySet<Cause> = new Set([
  ...(['target_name', 'target_refused', 'target_unreachable', 'proxy_or_target', 'timeout'] as const),
]);
/** How a connection ends without an answer. proxy-chain 3.0.1 closes it if it does not reach the target. */
const UNANSWERED: ReadonlySet<Cause> = new Set(['closed', 'reset'] as const);

const failureKindOf = (
  { phase, cause }: ProbeFailure,
  { phases }: Pick<ProbeResult, 'phases'>,
  protocol: ProbeProxy['protocol'] = 'http',
): FailureKind => {
  if (cause === 'local') return 'here';
  if (ANSWERS.has(cause)) return 'answer';
  if (PROXY_REFUSALS.has(cause)) return 'proxy';
  if (phase === 'resolve') return 'unreached';
  if (phase === 'connect') return cause === 'certificate' || cause === 'protocol' ? 'proxy' : 'unreached';
  // A SOCKS5 proxy that closes the connection before it knows the target has another cause than this one.
  const isUnanswered = UNANSWERED.has(cause) && protocol !== 'socks5';
  if (phase === 'tunnel') return ABOUT_TARGET.has(cause) || isUnanswered ? 'tunnel' : 'proxy';
  if (cause === 'certificate') return 'distrust';
  // Without a tunnel, the proxy itself gives the answer, so it is the proxy that breaks the protocol.
  const isForwarded = phase === 'response' && phases.tunnel === undefined;
  return isForwarded && cause === 'protocol' ? 'proxy' : 'behind';
};

/** A control that this machine could not make shows nothing. */
const controlKindOf = (control: Pick<ProbeResult, 'failure'> | undefined): ControlKind => {
  if (!control) return 'none';
  if (!control.failure) return 'ok';
  const { phase, cause } = control.failure;
  if (cause === 'local') return 'none';
  if (phase === 'response') return 'response';
  if (phase === 'tls') return cause === 'certificate' ? 'certificate' : 'tls';
  return 'unreached';
};
