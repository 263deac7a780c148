// Defines a finding: the result of one check, which is a line of the doctor's report.

/** `unknown` means that it was not checked, or that the check was not conclusive. */
type CheckStatus = 'ok' | 'unknown' | 'warning' | 'failed';

export interface CheckResult {
  readonly status: CheckStatus;
  /** What was checked; for an account, its name comes first. */
  readonly subject: string;
  /** What was tried and what the result was, without a period at the end. It contains no secret. */
  readonly found: string;
  /** What to do about it, in whole sentences. */
  readonly advice?: string | undefined;
}

/** Checks something and yields its findings. Throws only what is not a finding: the signal's reason, and bugs. */
export type Check<T> = (context: T) => AsyncIterable<CheckResult> | Iterable<CheckResult>;

const withStatus =
  (status: CheckStatus) =>
  (subject: string, found: string, advice?: string): CheckResult => ({ status, subject, found, advice });

export const ok = withStatus('ok');
export const unknown = withStatus('unknown');
export const warning = withStatus('warning');
export const failed = withStatus('failed');

const LONGEST_STATUS = 'warning'.length;

export const lineOf = ({ status, subject, found, advice }: CheckResult): string =>
  `${status.padEnd(LONGEST_STATUS)} ${subject}: ${found}${advice === undefined ? '' : `. ${advice}`}`;
