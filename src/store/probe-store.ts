// Defines the store of what probes show beyond their results: controls, phases, bytes, refusals, failures and exits.
//
// The results themselves are proxy tests (see test-store.ts) whose tester is the vantage. `account` is the store's name
// of the account's probes, under which those tests are stored too.

import type { Counter } from './counter.ts';
import type { Durations } from './test-store.ts';

/** A control as it was last asked. Times are in ms. */
export interface StoredControl {
  /** The label of the url. */
  readonly url: string;
  readonly isSuccessful: boolean;
  /** Rounds in a row in which the control failed, with the newest one. */
  readonly failingRounds: number;
  /** Rounds in a row, with the newest one, in which the control got no answer and no proxy answered either. */
  readonly unreachedRounds: number;
  readonly at: number;
  /** The phase and cause of the failure, such as `connect_refused`; null if it succeeded. */
  readonly error: string | null;
}

export interface ControlResult extends Pick<StoredControl, 'url' | 'isSuccessful' | 'error'> {
  /** Whether this round counts in `unreachedRounds`. */
  readonly isUnreached: boolean;
}

/** How long the phases of one probe took (ms). */
export interface PhaseTime {
  readonly url: string;
  readonly phase: string;
  readonly ms: number;
}

export interface PhaseTimes extends Durations {
  readonly url: string;
  readonly phase: string;
}

/** The last failure of a proxy at a url. It is kept until the next one, so that a customer can quote the request id. */
export interface ProbeFailureDetails {
  readonly proxy: string;
  readonly url: string;
  readonly at: number;
  readonly phase: string;
  readonly cause: string;
  /** The reason in words, without any secret. */
  readonly message: string;
  /** The HTTP status, or the reply code of SOCKS5; null if the proxy did not answer. */
  readonly status: number | null;
  /** The provider's code, such as 4221. */
  readonly code: string | null;
  /** The provider's id of the request. */
  readonly requestId: string | null;
}

/** What the exit of a proxy showed. */
export interface ProbeExit {
  readonly proxy: string;
  /** The expected address or country, and the one that was seen. */
  readonly expected: string;
  readonly seen: string;
  readonly isMismatch: boolean;
  /** Since when the exit has been as expected, or not as expected (ms). */
  readonly since: number;
  /** When the exit was last checked (ms). */
  readonly at: number;
}

export type ExitResult = Pick<ProbeExit, 'proxy' | 'expected' | 'seen' | 'isMismatch'>;

/** Bytes on the raw socket. */
interface ProbeBytes {
  readonly url: string;
  readonly sent: number;
  readonly received: number;
}

export interface ProbeBatch {
  readonly phases: readonly PhaseTime[];
  readonly bytes: readonly ProbeBytes[];
  /** How many probes were refused, by class. */
  readonly refusals: ReadonlyMap<string, number>;
  readonly failures: readonly Omit<ProbeFailureDetails, 'at'>[];
  readonly exits: readonly ExitResult[];
  readonly now: number;
}

/** Bytes of metered proxies in the slot that starts at `at` (ms). */
export interface SpentBytes {
  readonly at: number;
  readonly bytes: number;
}

export const BYTE_DIRECTIONS = ['sent', 'received'] as const;
export type ByteDirection = (typeof BYTE_DIRECTIONS)[number];

export interface ProbeStore {
  /** Creates the counters of bytes and refusals at 0, unless they exist. */
  open(
    account: string,
    urls: readonly string[],
    refusalClasses: readonly string[],
    now: number,
  ): Promise<void>;
  /** Stores what a batch of probes showed, in one transaction. */
  saveBatch(account: string, batch: ProbeBatch): Promise<void>;
  /** Stores the controls of a round. Those of other urls stay as they are. */
  saveControls(account: string, results: readonly ControlResult[], now: number): Promise<void>;
  /** Returns the controls in the order of their labels. */
  controls(account: string): Promise<StoredControl[]>;
  phaseTimes(account: string): Promise<PhaseTimes[]>;
  bytes(account: string, urls: readonly string[]): Promise<Map<string, Record<ByteDirection, Counter>>>;
  refusals(account: string, classes: readonly string[]): Promise<Record<string, Counter>>;
  /** Returns the last failures of a proxy, or of all proxies if none is given, the newest first. */
  failures(account: string, proxy?: string): Promise<ProbeFailureDetails[]>;
  exits(account: string): Promise<ProbeExit[]>;
  /** Deletes what the exit of a proxy showed. */
  forgetExit(account: string, proxy: string): Promise<void>;
  /** Counts bytes against the day's budget, in the slot of their time (ms). A negative amount returns bytes to the budget. */
  spend(account: string, amounts: readonly SpentBytes[]): Promise<void>;
  /** Returns the bytes spent in each slot since `from` (ms). */
  spent(account: string, from: number): Promise<SpentBytes[]>;
}
