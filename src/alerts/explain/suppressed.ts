// Finds the subjects for which the condition of an alert holds although broader alerts suppress it.

import { yieldEvery } from '../../lib/yield-every.ts';
import type { AccountAlert, Finding } from '../alert.ts';
import type { AccountConditions } from '../conditions.ts';

export type IsMatching = (subject: Pick<Finding, 'labels'>) => boolean;

/** After this many findings, other work gets its turn. */
const FINDINGS_PER_TURN = 1_000;
const MAX_SUPPRESSED = 10;

export interface SuppressedSubject {
  readonly labels: Readonly<Record<string, string>>;
  /** Names of the alerts that suppress it. */
  readonly suppressedBy: readonly string[];
}

/** How many matching findings are suppressed and how many are not, and the first suppressed ones. */
interface Suppressed {
  readonly count: number;
  readonly unsuppressed: number;
  readonly shown: readonly SuppressedSubject[];
}

export const suppressedOf = async (
  alert: AccountAlert,
  conditions: AccountConditions,
  isMatching: IsMatching,
): Promise<Suppressed> => {
  const suppressors = conditions.suppressorsOf(alert);
  const yieldTurn = yieldEvery(FINDINGS_PER_TURN);
  const shown: SuppressedSubject[] = [];
  let [count, unsuppressed] = [0, 0];
  for (const finding of conditions.findingsOf(alert)?.values() ?? []) {
    await yieldTurn();
    if (!isMatching(finding)) continue;
    const suppressedBy = suppressors.filter((each) => each.suppresses(finding)).map((each) => each.alert);
    if (suppressedBy.length === 0) unsuppressed += 1;
    else count += 1;
    if (suppressedBy.length > 0 && shown.length < MAX_SUPPRESSED)
      shown.push({ labels: finding.labels, suppressedBy });
  }
  return { count, unsuppressed, shown };
};

export const suppressedText = (count: number, shown: readonly SuppressedSubject[]): string => {
  const names = [...new Set(shown.flatMap(({ suppressedBy }) => suppressedBy))].join(', ');
  const subjects = count === 1 ? 'one subject' : `${count.toLocaleString('en')} subjects`;
  return `the condition holds for ${subjects}, but a broader alert explains it and suppresses this alert: ${names}`;
};
