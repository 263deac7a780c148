// Shows failed requests: a table of the reasons, and one of what they cost by proxy user or host name.

import type { RequestErrorSum, RequestErrors } from '../answers.ts';
import { type Column, column, emptyNote, orUnknown, quiet, subjectLink, table } from '../components.ts';
import { bytes, count, percent } from '../format.ts';
import { html, type Markup, type Value } from '../html.ts';

/** What the costs are by, with the heading of their names. */
export const ERRORS_BY = { user: 'Proxy user', hostname: 'Host name' } as const;
export type ErrorsBy = keyof typeof ERRORS_BY;

const SECONDS_PER_HOUR = 3_600;

/** Writes an estimated number: exactly if its margin is 0, and without one if the margin is not known. */
const about = ({ errors, errors_margin: margin }: RequestErrorSum): Value => {
  if (errors === null || margin === 0) return orUnknown(errors, count);
  return `about ${count(errors)}${margin === null ? '' : ` ± ${count(margin)}`}`;
};

const aboutBytes = (value: number): string => `about ${bytes(value)}`;

export const reasonTable = ({ accounts: [whole], data }: RequestErrors): Markup => {
  if (!whole) return html``;
  const hours = Math.round((10 * whole.counted_seconds) / SECONDS_PER_HOUR) / 10;
  return html`<p>${orUnknown(whole.errors, count)} of ${orUnknown(whole.requests, count)} requests failed in ${hours} counted hours of the last 24.</p>
${data.length === 0 ? emptyNote('No counted request failed.') : table('Why do requests fail?', REASONS, data)}`;
};

const REASONS: readonly Column<RequestErrorSum>[] = [
  column('Reason', ({ meaning }) => meaning),
  column('Requests', about, 'number'),
  column('Share of all', ({ share }) => orUnknown(share, percent), 'number'),
  column('What to do first', ({ advice }) => advice, 'wide'),
];

export const costTable = ({ accounts: [whole], data }: RequestErrors, by: ErrorsBy): Markup => {
  if (!whole?.errors) return html``;
  const left = whole.errors - (whole.sampled_errors ?? 0);
  const unknown =
    left > 0
      ? ` Of ${count(left)} failed requests, the user, the host name and the bytes are not known, so the table shows too few.`
      : '';
  return html`<p>Failed requests cost ${orUnknown(whole.bytes, aboutBytes)}.${unknown}</p>
${table('What do failures cost?', costColumns(by), data)}`;
};

const costColumns = (by: ErrorsBy): readonly Column<RequestErrorSum>[] => [
  column(ERRORS_BY[by], (row) => nameOf(row, by)),
  column('Failed requests', about, 'number'),
  column('Bytes', (row) => orUnknown(row.bytes, row.errors_margin === 0 ? bytes : aboutBytes), 'number'),
];

const nameOf = ({ account, name }: RequestErrorSum, by: ErrorsBy): Value => {
  if (name === null) return quiet('all others');
  if (name === '') return quiet('not given');
  return by === 'user' ? subjectLink(account, 'user', name) : name;
};
