// Answers in one sentence why the proxy fails, and what to do next.

import type { ProbeFailure } from '../../prober/probe.ts';
import { adviceOn } from './advice.ts';
import type { Outcome } from './outcome.ts';

/** `control` is undefined if the target was not asked without the proxy, and null if it answered. */
type Control = ProbeFailure | null | undefined;

export const conclusionOf = ({ result, control }: Pick<Outcome, 'result' | 'control'>): string => {
  const { failure } = result;
  const controlFailure = control?.failure;
  if (!failure) return worksSentence(controlFailure);
  return `${openingOf(failure, controlFailure)} (${failure.phase}_${failure.cause}): ${failure.message}; ${nextStep(failure, controlFailure)}.`;
};

const worksSentence = (control: Control): string =>
  control
    ? `The proxy works, but without it the target cannot be reached from this machine: ${control.message}.`
    : 'The proxy works.';

const openingOf = (failure: ProbeFailure, control: Control): string => {
  if (control) return 'The proxy is probably not at fault, because the target fails without it too';
  if (isDistrust(failure)) {
    return control === null
      ? 'The target has a trusted certificate without the proxy, but not through it'
      : 'The certificate of the target is wrong, or the proxy intercepts TLS';
  }
  if (hasAnswer(failure)) return 'The proxy works, but the target does not answer as expected';
  return control === null ? 'The proxy fails, and the target answers without it' : 'The proxy fails';
};

const nextStep = (failure: ProbeFailure, control: Control): string => {
  if (control)
    return `without the proxy, ${control.message}, so check the target and the network of this machine`;
  if (control === null && isDistrust(failure)) return 'do not send anything secret through this proxy';
  if (control === null && (hasAnswer(failure) || failure.phase === 'tls' || failure.phase === 'response'))
    return 'the target answers without the proxy, so ask its operator whether it blocks proxies, or try another proxy';
  return adviceOn(failure.phase, failure.cause);
};

/** Then the target answered, so the proxy has done its part. */
const hasAnswer = ({ cause }: ProbeFailure): boolean =>
  cause === 'status' || cause === 'header' || cause === 'body';

const isDistrust = ({ phase, cause }: ProbeFailure): boolean => phase === 'tls' && cause === 'certificate';
