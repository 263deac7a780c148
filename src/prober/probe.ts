// Defines a probe: one connection through a proxy (or without one) to a target, its phases, and why it failed.

import type { RefusalClass } from '../lib/refusal-codes.ts';
import type { Secret } from '../lib/secret.ts';
import type { TextPattern } from '../lib/text-pattern.ts';

/** How far a probe goes: to an open tunnel, to TLS with the target, or to an answer of the target. */
export const DEPTHS = ['tunnel', 'tls', 'http'] as const;
export type Depth = (typeof DEPTHS)[number];

/**
 * The phases of a probe, in their order. `connect` contains TLS with the proxy, if the proxy has TLS. `tunnel` is the
 * proxy's handshake and its answer. `tls` is TLS with the target. `response` is the request and what is read of the answer.
 */
export const PHASES = ['resolve', 'connect', 'tunnel', 'tls', 'response'] as const;
export type Phase = (typeof PHASES)[number];

/**
 * Why a probe failed. The cause is what the answers show, and not yet what is at fault.
 *
 * - dns, refused, unreachable, reset, closed, timeout: of the connection itself, in the phase that the failure names
 * - credentials, options, quota, no_node, policy, provider: what the proxy answered, by its status and the provider's code
 * - target_name, target_refused, target_unreachable: what the proxy says about the target
 * - proxy_or_target: the proxy opened no tunnel, and does not say whether it is the cause or the target
 * - certificate: of the proxy (phase connect) or of the target (phase tls)
 * - status, header, body: the target answered, but not what is expected
 * - proxy_error: the proxy refused for a reason that its answer does not show
 * - protocol: an answer that is not of the protocol
 * - local: this machine could not make the probe, such as without a free socket or without a turn to look up the name
 */
export const CAUSES = [
  ...['dns', 'refused', 'unreachable', 'reset', 'closed', 'timeout'],
  ...['credentials', 'options', 'quota', 'no_node', 'policy', 'provider'],
  ...['target_name', 'target_refused', 'target_unreachable', 'proxy_or_target'],
  ...['certificate', 'status', 'header', 'body', 'proxy_error', 'protocol', 'local'],
] as const;
export type Cause = (typeof CAUSES)[number];

export interface ProbeProxy {
  /** `https` is an HTTP proxy that is reached over TLS. */
  readonly protocol: 'http' | 'https' | 'socks5';
  /** A name, an IPv4 address, or an IPv6 address without brackets. */
  readonly host: string;
  readonly port: number;
  /** Undefined if the proxy knows its customers by their address. */
  readonly credentials?: { readonly username: string; readonly password: Secret } | undefined;
  /** Certificates (PEM) that are trusted for TLS with the proxy, instead of the usual ones. */
  readonly ca?: string | undefined;
}

/** What the answer of the target must have. */
export interface Expectation {
  /** Status codes; undefined accepts 200 to 399. */
  readonly status?: readonly number[] | undefined;
  /** By name of the header, in lower case. */
  readonly headers?: Readonly<Record<string, TextPattern>> | undefined;
  readonly body?: TextPattern | undefined;
}

export interface ProbeTarget {
  /** The whole address. It may contain a token, so it is a secret. */
  readonly url: Secret;
  readonly depth: Depth;
  readonly expect?: Expectation | undefined;
  /** Certificates (PEM) that are trusted for TLS with the target, instead of the usual ones. */
  readonly ca?: string | undefined;
  /** Whether the body is returned, such as that of an address echo. Up to 64 kB. */
  readonly returnsBody?: boolean | undefined;
}

/** Time limits in ms. Each phase ends at its own limit, and the probe at `total`. */
export type ProbeTimeouts = Readonly<Record<Phase | 'total', number>> & {
  /** As `total`, but with the time in which the probe waits for a lookup of its name. Without it, this time is extra. */
  readonly deadline?: number | undefined;
};

export interface ProbeRequest {
  /** Null probes without a proxy, as a control. */
  readonly proxy: ProbeProxy | null;
  readonly target: ProbeTarget;
  readonly timeouts: ProbeTimeouts;
  /** Whether bytes cost money. TLS then takes more time of the processor, so that the limit of bytes is sharp. */
  readonly isMetered?: boolean | undefined;
  /** TLS sessions that may be resumed, by a key of the caller; undefined makes a full handshake. */
  readonly sessions?: { readonly cache: TlsSessions; readonly key: string } | undefined;
  readonly signal: AbortSignal;
  /**
   * Called once when the probe ends, also if the signal aborts it, with its bytes on the raw socket. A probe that was
   * aborted before its beginning has none, and does not call.
   */
  readonly onBytes?: ((bytes: ProbeResult['bytes']) => void) | undefined;
  /** Called with each step, for the command line. Credentials are masked. */
  readonly trace?: ((step: TraceStep) => void) | undefined;
}

export interface TlsSessions {
  get(key: string): Buffer | undefined;
  set(key: string, session: Buffer): void;
}

export interface TraceStep {
  readonly phase: Phase;
  /** `>` was sent, `<` was received, `*` is said by proxywatch. */
  readonly direction: '>' | '<' | '*';
  readonly text: string;
}

export interface ProbeFailure {
  readonly phase: Phase;
  readonly cause: Cause;
  /** The reason in words, without any secret and without text of the answer. */
  readonly message: string;
}

/** What the proxy says with its refusal, or with its acceptance. */
export interface ProxyAnswer {
  /** The HTTP status, or the reply code of SOCKS5. */
  readonly status: number;
  /** The provider's code (`x-byteful-status-code`); null if the answer has none, or an invalid one. */
  readonly code: string | null;
  /** The provider's id of the request (`x-byteful-request-id`), for its support; null if there is none. */
  readonly requestId: string | null;
}

export interface ProbeCertificate {
  readonly subject: string;
  readonly issuer: string;
  /** In ms since the epoch. */
  readonly notAfter: number;
  readonly isTrusted: boolean;
}

export interface ProbeResult {
  readonly failure: ProbeFailure | null;
  /** The duration of each phase that was begun (ms); that of the failed phase until its failure. */
  readonly phases: Readonly<Partial<Record<Phase, number>>>;
  /** The duration of the whole probe (ms). */
  readonly durationMs: number;
  /** Bytes on the raw socket, below TLS. */
  readonly bytes: { readonly sent: number; readonly received: number };
  /** Null if the proxy did not answer, or if there is none. */
  readonly proxyAnswer: ProxyAnswer | null;
  /** Undefined unless the provider refused with a code or a status that has a class. */
  readonly refusal?: RefusalClass | undefined;
  /** The status of the target's answer; null if there is none. */
  readonly status: number | null;
  /** The certificate of the target; that of the first handshake if a session was resumed; null if there was none. */
  readonly certificate: ProbeCertificate | null;
  readonly isResumed: boolean;
  /** The body, if the target's `returnsBody` is set and the probe succeeded; null otherwise. */
  readonly body: string | null;
}

/** Makes one probe. It never rejects, except with the reason of the signal. */
export type Probe = (request: ProbeRequest) => Promise<ProbeResult>;

/** The message must contain no secret and no text of an answer. */
export class ProbeError extends Error {
  override readonly name = 'ProbeError';
  readonly reason: Cause;

  constructor(reason: Cause, message: string) {
    super(message);
    this.reason = reason;
  }
}
