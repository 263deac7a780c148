// Shows failed requests: a table of the reasons, and one of what they cost by proxy user or host name.

import type { RequestErrorSum, RequestErrors } from '../answers.ts';
import { type Column, column, emptyNote, orUnknown, quiet, subjectLink, table } from '../components.ts';
import { bytes, count, percent } from '../format.ts';
import { html, type Markup, type Value } from '../html.ts';

/** What the costs are by, with the heading of their names. */
export const ERRORS_BY = { user: 'Proxy user', hostname: 'Host name' } as const;
export type ErrorsBy = keyof typeof ERRORS_BY;

const SECONDS_PER_HOUR = 3_600;

/** Writes an estimate: exactly if its margin is 0, and without one if the margin is not known. */
const about = (value: number | null, margin: number | null, show: (value: number) => string): Value => {
  if (value === null) return orUnknown(value, show);
  if (margin === 0) return show(value);
  return `about ${show(value)}${margin === null ? '' : ` ± ${show(margin)}`}`;
};

export const reasonTable = ({ accounts: [whole], data }: RequestErrors): Markup => {
  if (!whole) return html``;
  const hours = Math.round((10 * whole.counted_seconds) / SECONDS_PER_HOUR) / 10;
  return html`<p>${orUnknown(whole.errors, count)} of ${orUnknown(whole.requests, count)} requests failed in ${hours} counted hours of the last 24.</p>
${data.length === 0 ? emptyNote('No counted request failed.') : table('Why do requests fail?', REASONS, data)}`;
};

const REASONS: readonly Column<RequestErrorSum>[] = [
  column('Reason', ({ meaning }) => meaning),
  column('Cause', ({ cause }) => cause),
  column('Requests', ({ errors, errors_margin }) => about(errors, errors_margin, count), 'number'),
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
  return html`<p>Failed requests cost ${about(whole.bytes, whole.bytes_margin, bytes)}.${unknown}</p>
${table('What do failures cost?', costColumns(by), data)}`;
};

const costColumns = (by: ErrorsBy): readonly Column<RequestErrorSum>[] => [
  column(ERRORS_BY[by], (row) => nameOf(row, by)),
  column('Failed requests', ({ errors, errors_margin }) => about(errors, errors_margin, count), 'number'),
  column('Bytes', (row) => about(row.bytes, row.bytes_margin, bytes), 'number'),
];

const nameOf = ({ account, name }: RequestErrorSum, by: ErrorsBy): Value => {
  if (name === null) return quiet('all others');
  if (name === '') return quiet('not given');
  return by === 'user' ? subjectLink(account, 'user', name) : name;
};
