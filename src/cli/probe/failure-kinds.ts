// Sorts failures by what they show: about the proxy, and about the target without the proxy.

import type { Cause, ProbeFailure, ProbeProxy, ProbeResult } from '../../prober/probe.ts';

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
export type FailureKind = 'here' | 'unreached' | 'proxy' | 'tunnel' | 'behind' | 'distrust' | 'answer';

/**
 * What the probe without the proxy shows. In `tls`, `certificate` and `response`, this machine has reached the target.
 */
export type ControlKind = 'none' | 'ok' | 'unreached' | 'tls' | 'certificate' | 'response';

const ANSWERS: ReadonlySet<Cause> = new Set(['status', 'header', 'body'] as const);
const PROXY_REFUSALS: ReadonlySet<Cause> = new Set([
  ...(['credentials', 'options', 'quota', 'no_node', 'policy', 'provider', 'proxy_error'] as const),
]);
const ABOUT_TARGET: ReadonlySet<Cause> = new Set([
  ...(['target_name', 'target_refused', 'target_unreachable', 'proxy_or_target', 'timeout'] as const),
]);
/** How a connection ends without an answer. proxy-chain 3.0.1 closes it if it does not reach the target. */
export const UNANSWERED: ReadonlySet<Cause> = new Set(['closed', 'reset'] as const);

export const failureKindOf = (
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
export const controlKindOf = (control: Pick<ProbeResult, 'failure'> | undefined): ControlKind => {
  if (!control) return 'none';
  if (!control.failure) return 'ok';
  const { phase, cause } = control.failure;
  if (cause === 'local') return 'none';
  if (phase === 'response') return 'response';
  if (phase === 'tls') return cause === 'certificate' ? 'certificate' : 'tls';
  return 'unreached';
};
