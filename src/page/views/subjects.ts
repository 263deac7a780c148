// Shows the subjects of alerts, with links to their pages.

import { VIEWS_BY_LABEL } from '../address.ts';
import { subjectLink } from '../components.ts';
import type { Value } from '../html.ts';

/** Returns the subjects that the labels name, each with a link to its page; null if the labels name only an account. */
export const subjectOf = ({ labels }: { readonly labels: Readonly<Record<string, string>> }): Value => {
  const { account, ...others } = labels;
  const parts = Object.entries(others).map(([label, value]) => {
    const view = VIEWS_BY_LABEL[label as keyof typeof VIEWS_BY_LABEL];
    return account === undefined || view === undefined || value === ''
      ? value
      : subjectLink(account, view, value);
  });
  return parts.length === 0 ? null : parts.map((part, index) => [index === 0 ? null : ', ', part]);
};

/** Returns the text as a link to the page of the first subject that the labels name, if there is one. */
export const linkToSubject = (
  { labels }: { readonly labels: Readonly<Record<string, string>> },
  text: string,
): Value => {
  const { account } = labels;
  for (const [label, view] of Object.entries(VIEWS_BY_LABEL)) {
    const id = labels[label];
    if (account !== undefined && id) return subjectLink(account, view, id, text);
  }
  return text;
};
