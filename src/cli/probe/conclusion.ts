// Answers in one sentence why the proxy fails, and what to do next.

import type { ProbeFailure } from '../../prober/probe.ts';
import { adviceOn } from './advice.ts';
import type { Outcome } from './outcome.ts';

type Results = Pick<Outcome, 'result' | 'control'>;

export const conclusionOf = ({ result, control }: Results): string => {
  const { failure } = result;
  if (!failure) return worksSentence(control?.failure ?? null);
  const words = `${failure.message} (${failure.phase}_${failure.cause})`;
  if (control?.failure) return `${bothFail(control.failure)}: through the proxy, ${words}.`;
  const rest = adviceOn(failure.phase, failure.cause);
  if (hasReachedTarget(failure)) {
    const compared = control
      ? `; the target answers without the proxy, so it treats the proxy differently`
      : `; ${rest}`;
    return `The proxy works, but the target does not answer as expected: ${words}${compared}.`;
  }
  const compared = control ? ', and the target answers without it' : '';
  return `The proxy fails${compared}: ${words}; ${rest}.`;
};

const worksSentence = (control: ProbeFailure | null): string =>
  control
    ? `The proxy works, but without it the target cannot be reached from this machine: ${control.message}.`
    : 'The proxy works.';

/** Then the target answered, so the proxy has done its part. */
const hasReachedTarget = ({ phase, cause }: ProbeFailure): boolean =>
  cause === 'status' ||
  cause === 'header' ||
  cause === 'body' ||
  (cause === 'certificate' && phase === 'tls');

const bothFail = ({ message }: ProbeFailure): string =>
  `The proxy is probably not at fault, because the target fails without it too (${message}), so check the target and the network of this machine`;
