// Answers in one sentence why the proxy fails, and what to do next.

import type { Cause, Phase, ProbeFailure } from '../../prober/probe.ts';
import { adviceOn } from './advice.ts';
import type { Outcome } from './outcome.ts';

/** The opening of the sentence, and the next step. */
type Verdict = readonly [opening: string, nextStep: string];

export const conclusionOf = ({ result, control }: Pick<Outcome, 'result' | 'control'>): string => {
  const { failure } = result;
  if (!failure) return worksSentence(control?.failure ?? null);
  const [opening, nextStep] = control ? compare(failure, control.failure) : verdictOf(failure);
  return `${opening} (${failure.phase}_${failure.cause}): ${failure.message}; ${nextStep}.`;
};

const worksSentence = (control: ProbeFailure | null): string =>
  control
    ? `The proxy works, but without it the target cannot be reached from this machine: ${control.message}.`
    : 'The proxy works.';

/** Without a comparison. */
const verdictOf = (failure: ProbeFailure): Verdict => {
  const advice = adviceOn(failure.phase, failure.cause);
  if (isDistrust(failure))
    return ['The certificate of the target is wrong, or the proxy intercepts TLS', advice];
  if (hasAnswer(failure)) return ['The proxy works, but the target does not answer as expected', advice];
  return ['The proxy fails', advice];
};

/** `control` is the failure of the target without the proxy; null if it answered. */
const compare = (failure: ProbeFailure, control: ProbeFailure | null): Verdict => {
  if (control) return compareFailures(failure, control);
  if (isDistrust(failure))
    return [
      'The target has a trusted certificate without the proxy, but not through it',
      'do not send anything secret through this proxy',
    ];
  const [opening, advice] = verdictOf(failure);
  const compared = hasAnswer(failure) ? opening : 'The proxy fails, and the target answers without it';
  return [compared, BEHIND_TUNNEL.has(failure.phase) ? BLOCKED : advice];
};

const BEHIND_TUNNEL: ReadonlySet<Phase> = new Set(['tls', 'response']);
const BLOCKED =
  'the target answers without the proxy, so ask its operator whether it blocks proxies, or try another proxy';

const compareFailures = (failure: ProbeFailure, { message }: ProbeFailure): Verdict => {
  if (failure.phase === 'resolve' || failure.phase === 'connect')
    return [
      'This machine reaches neither the proxy nor the target',
      `without the proxy, ${message}, so check the network of this machine first`,
    ];
  if (OWN_REFUSALS.has(failure.cause)) return verdictOf(failure);
  return [
    'The proxy is probably not at fault, because the target fails without it too',
    `without the proxy, ${message}, so check the target and the network of this machine`,
  ];
};

/** The proxy answers so whatever the target does. */
const OWN_REFUSALS: ReadonlySet<Cause> = new Set([
  ...(['credentials', 'options', 'quota', 'no_node', 'policy', 'provider'] as const),
]);

/** Then the target answered, so the proxy has done its part. */
const hasAnswer = ({ cause }: ProbeFailure): boolean =>
  cause === 'status' || cause === 'header' || cause === 'body';

const isDistrust = ({ phase, cause }: ProbeFailure): boolean => phase === 'tls' && cause === 'certificate';
