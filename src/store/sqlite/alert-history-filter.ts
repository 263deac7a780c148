// Converts filters of the history of alerts to conditions of SQL.

import type { EpisodeFilter } from '../alert-history-store.ts';

export interface Conditions {
  /** The conditions that an index finds. */
  readonly indexed: readonly string[];
  /** The conditions that each of the found rows is compared with. */
  readonly compared: readonly string[];
  /** The values of the conditions, by name. */
  readonly values: Readonly<Record<string, string | number>>;
}

const NONE: Conditions = { indexed: [], compared: [], values: {} };

export const conditionsOf = (filter: EpisodeFilter): Conditions => {
  const { alert, severity, state, from, to } = filter;
  const parts: readonly Conditions[] = [
    alert === undefined ? NONE : { ...NONE, indexed: ['alert = @alert'], values: { alert } },
    accountCondition(filter),
    severity === undefined ? NONE : compared('severity = @severity', { severity }),
    state === undefined ? NONE : compared(`ended_at IS ${state === 'firing' ? '' : 'NOT '}NULL`),
    from === undefined ? NONE : compared('firing_since >= @from', { from }),
    to === undefined ? NONE : compared('firing_since < @to', { to }),
    subjectCondition(filter),
    textCondition(filter),
  ];
  return {
    indexed: parts.flatMap(({ indexed }) => indexed),
    compared: parts.flatMap(({ compared }) => compared),
    values: Object.assign({}, ...parts.map(({ values }) => values)),
  };
};

/** The plus keeps SQLite from looking the condition up in an index, which would not be in the order of the page. */
const compared = (condition: string, values: Conditions['values'] = {}): Conditions => ({
  ...NONE,
  compared: [`+${condition}`],
  values,
});

const accountCondition = ({ accounts, alert }: EpisodeFilter): Conditions => {
  if (accounts === undefined) return NONE;
  const [account, ...others] = accounts;
  if (account !== undefined && others.length === 0 && alert === undefined)
    return { ...NONE, indexed: ['account = @account'], values: { account } };
  return compared('account IN (SELECT value FROM json_each(@accounts))', {
    accounts: JSON.stringify(accounts),
  });
};

/**
 * Matches the alerts that a silence with this subject matches. The first condition only makes it fast: the JSON of such
 * labels has the end of the subject, and the quote after it.
 */
const subjectCondition = ({ subject }: EpisodeFilter): Conditions => {
  if (subject === undefined) return NONE;
  const ending = JSON.stringify(subject.slice(subject.lastIndexOf('=') + 1)).slice(1);
  return compared(
    `instr(labels, @ending) > 0 AND EXISTS (
       SELECT 1 FROM json_each(labels) WHERE json_each.value = @subject OR key || '=' || json_each.value = @subject)`,
    { ending, subject },
  );
};

/** The function `lower` converts only the letters A to Z, so the text is converted in the same way. */
const textCondition = ({ text }: EpisodeFilter): Conditions =>
  text === undefined || text === ''
    ? NONE
    : {
        ...NONE,
        compared: [
          `(instr(lower(alert), @text) > 0 OR instr(lower(account), @text) > 0 OR EXISTS (
             SELECT 1 FROM json_each(labels) WHERE instr(lower(json_each.value), @text) > 0))`,
        ],
        values: { text: text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase()) },
      };
