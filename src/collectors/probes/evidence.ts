// Defines the evidence from which proxywatch decides what is at fault for failing probes.

import type { Cause, Phase } from '../../prober/probe.ts';
import type { TestCell } from '../../store/test-store.ts';

/**
 * The result of probes of one control url without a proxy.
 *
 * A failure of all controls means that this machine or its line is at fault, and no proxy is.
 */
export interface ControlState {
  /** The label of the url. */
  readonly url: string;
  readonly isSuccessful: boolean;
  /** Rounds in a row in which the control failed, with the newest one. */
  readonly failingRounds: number;
  /** When it was last asked (ms). */
  readonly at: number;
  /** The phase and cause of the failure, such as `connect_refused`; null if it succeeded. */
  readonly error: string | null;
}

/** A cell of the matrix with the type of its proxy. */
export type EvidenceCell = TestCell & { readonly productType: string };

export interface ProbeEvidence {
  /** The label `tester_server` of this vantage. */
  readonly vantage: string;
  /** The results of probes of all configured proxies and urls. Their tester is the vantage. */
  readonly probes: readonly EvidenceCell[];
  /** Empty if `control` is false, or before the first round. */
  readonly controls: readonly ControlState[];
  /**
   * The newest results of the provider's testers for these proxies, of the last 24 hours, at all urls that
   * `proxy_tests` has. Empty if `proxy_tests` is off.
   */
  readonly providerTests: readonly EvidenceCell[];
  /** The proxies that the proxy tests have found at fault. */
  readonly testedAtFault: ReadonlySet<string>;
  /** The time between two rounds of probes (ms). */
  readonly intervalMs: number;
}

/** The store's name of an account whose tests are probes. Accounts of the configuration never contain a slash. */
export const probesAccount = (account: string): string => `probes/${account}`;

/** The label `error_code` of a failed probe: its phase and its cause, such as `tunnel_credentials`. */
export const errorCodeOf = (phase: Phase, cause: Cause): string => `${phase}_${cause}`;

/** The label `error_source` of a failed probe; null if the failure does not show it. */
export type ProbeErrorSource = 'client' | 'quota' | 'here' | 'proxy' | 'target' | 'provider';

const SOURCES: Readonly<Partial<Record<Cause, ProbeErrorSource>>> = {
  ...{ credentials: 'client', options: 'client', policy: 'client', quota: 'quota', local: 'here' },
  ...{ no_node: 'provider', provider: 'provider', proxy_error: 'proxy' },
  ...{ target_name: 'target', target_refused: 'target', target_unreachable: 'target' },
  ...{ status: 'target', header: 'target', body: 'target' },
};

/**
 * A connection that ends after the tunnel is open can be the fault of the proxy or of the target, so its source is
 * unknown.
 */
export const errorSourceOf = (phase: Phase, cause: Cause): ProbeErrorSource | null => {
  const named = SOURCES[cause];
  if (named) return named;
  const isAfterTunnel = phase === 'tls' || phase === 'response';
  if (cause === 'certificate' && isAfterTunnel) return 'target';
  return isAfterTunnel ? null : 'proxy';
};

/**
 * Whether probes of this url show nothing, because the control of this url or all controls failed in the same round. Such
 * a failure is stored with the source `here`, so that it does not count against a proxy in later rounds either.
 */
export const isUndecided = (
  url: string,
  controls: readonly Pick<ControlState, 'url' | 'isSuccessful'>[],
): boolean =>
  controls.some((control) => control.url === url && !control.isSuccessful) || haveAllFailed(controls);

/** Whether all controls failed in the newest round, so that the fault is of this machine or its line. */
export const haveAllFailed = (controls: readonly Pick<ControlState, 'isSuccessful'>[]): boolean =>
  controls.length > 0 && controls.every(({ isSuccessful }) => !isSuccessful);
