// What the doctor says of one thing that it looked at: a line of its report.

/** `unknown`: it was not checked, or the check showed neither good nor bad. */
export type Verdict = 'ok' | 'unknown' | 'warning' | 'failed';

export interface Finding {
  readonly verdict: Verdict;
  /** What was looked at, an account's things with its name before them. */
  readonly subject: string;
  /** What was tried and what came of it; no secret is in it. */
  readonly found: string;
  /** What to do about it. */
  readonly advice?: string | undefined;
}

/** Looks at something, finding by finding. Throws what is no finding: the signal's reason, faults of the program. */
export type Check<T> = (patient: T) => AsyncIterable<Finding> | Iterable<Finding>;

export const ok = (subject: string, found: string): Finding => ({ verdict: 'ok', subject, found });

export const unknown = (subject: string, found: string, advice?: string): Finding => ({
  verdict: 'unknown',
  ...{ subject, found, advice },
});

export const warning = (subject: string, found: string, advice?: string): Finding => ({
  verdict: 'warning',
  ...{ subject, found, advice },
});

export const failed = (subject: string, found: string, advice?: string): Finding => ({
  verdict: 'failed',
  ...{ subject, found, advice },
});

const LONGEST_VERDICT = 'warning'.length;

export const lineOf = ({ verdict, subject, found, advice }: Finding): string =>
  `${verdict.padEnd(LONGEST_VERDICT)} ${subject}: ${found}${advice === undefined ? '' : `; ${advice}`}`;
