// Defines the evidence from which proxywatch decides what is at fault for failing probes.

import type { Cause, Phase } from '../../prober/probe.ts';
import type { StoredControl } from '../../store/probe-store.ts';
import type { Fault, TestCell } from '../../store/test-store.ts';

export type EvidenceCell = TestCell & { readonly productType: string };

export interface ProbeEvidence {
  /** The label `tester_server` of this vantage. */
  readonly vantage: string;
  /** The results of probes of all configured proxies and urls. Their tester is the vantage. */
  readonly probes: readonly EvidenceCell[];
  /** Empty if `control` is false, and before the first round. */
  readonly controls: readonly StoredControl[];
  /** The testers' newest results for these proxies, of 24 hours, at the urls of `proxy_tests`. Empty if that is off. */
  readonly providerTests: readonly EvidenceCell[];
  readonly testFaults: readonly Pick<Fault, 'kind' | 'subject' | 'scope'>[];
  /** The time between two rounds of probes (ms). */
  readonly intervalMs: number;
  /** The time in which the provider's testers test every proxy once (ms). */
  readonly testIntervalMs: number;
  /** The present time (ms). */
  readonly now: number;
}

/** The label `error_code` of a failed probe: its phase and its cause, such as `tunnel_credentials`. */
export const errorCodeOf = (phase: Phase, cause: Cause): string => `${phase}_${cause}`;

/** The label `error_source` of a failed probe; null if the failure does not show it. */
export const PROBE_ERROR_SOURCES = ['client', 'quota', 'here', 'proxy', 'target', 'provider'] as const;
export type ProbeErrorSource = (typeof PROBE_ERROR_SOURCES)[number];

const SOURCES: Readonly<Partial<Record<Cause, ProbeErrorSource>>> = {
  ...{ credentials: 'client', options: 'client', policy: 'client', quota: 'quota', local: 'here' },
  ...{ no_node: 'provider', provider: 'provider', proxy_error: 'proxy' },
  ...{ target_name: 'target', target_refused: 'target', target_unreachable: 'target' },
  ...{ status: 'target', header: 'target', body: 'target' },
};

/** An end after the tunnel is open, or a refusal without a reason, can be the fault of the proxy or of the target. */
export const errorSourceOf = (phase: Phase, cause: Cause): ProbeErrorSource | null => {
  const named = SOURCES[cause];
  if (named) return named;
  if (cause === 'proxy_or_target') return null;
  const isAfterTunnel = phase === 'tls' || phase === 'response';
  if (cause === 'certificate' && isAfterTunnel) return 'target';
  return isAfterTunnel ? null : 'proxy';
};

const BEFORE_TARGET: ReadonlySet<string> = new Set<Phase>(['resolve', 'connect']);

/** Whether a target that is down can cause this: some proxies then only close the connection, or give no reason. */
export const canBeOfTarget = (phase: Phase, cause: Cause): boolean => {
  const source = errorSourceOf(phase, cause);
  return !BEFORE_TARGET.has(phase) && (source === 'target' || source === 'proxy' || source === null);
};

/** The causes of controls whose target answered. The line works, although the control fails. */
const ANSWERS: ReadonlySet<string> = new Set<Cause>(['status', 'header', 'body', 'certificate']);

/** Whether a target answered its control, with success or not. */
export const gotAnswer = ({ error }: Pick<StoredControl, 'error'>): boolean =>
  error === null || ANSWERS.has(error.slice(error.indexOf('_') + 1));

/** Whether there are controls, and none of them got an answer. */
export const areUnanswered = (controls: readonly Pick<StoredControl, 'error'>[]): boolean =>
  controls.length > 0 && !controls.some(gotAnswer);

/**
 * Whether this machine or its line is at fault: in the newest round, no control got an answer and no proxy answered. No
 * probe shows anything then.
 */
export const isLineDown = (controls: readonly Pick<StoredControl, 'unreachedRounds'>[]): boolean =>
  controls.length > 0 && controls.every(({ unreachedRounds }) => unreachedRounds > 0);

/**
 * Whether the controls show nothing about the line: none got an answer, but proxies answered, as behind a firewall that
 * allows only the proxies, or while all targets are down.
 */
export const areControlsBlocked = (
  controls: readonly Pick<StoredControl, 'error' | 'unreachedRounds'>[],
): boolean => areUnanswered(controls) && !isLineDown(controls);

/** Whether the control of this url fails, so that failing probes of it show nothing. */
export const hasControlFailed = (
  url: string,
  controls: readonly Pick<StoredControl, 'url' | 'isSuccessful'>[],
): boolean => controls.some((control) => control.url === url && !control.isSuccessful);
