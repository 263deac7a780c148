// Shows adjustments of services, and puts their changes into words.

import type { Adjustment, Event } from '../answers.ts';
import { badge, type Column, column, type Level, minute, quiet, subjectLink, table } from '../components.ts';
import { count, local } from '../format.ts';
import type { Markup, Value } from '../html.ts';

const LEVELS: Readonly<Record<string, Level>> = { complete: 'good', pending: 'fair', failed: 'bad' };

/** Writes a word of the provider, such as `top_up`, as plain text. */
export const wordOf = (word: string): string => word.replaceAll('_', ' ');

export const actorOf = (by: string): string => (by === 'automatic' ? by : `by the ${by}`);

/** Returns what is known to be different after the adjustment. */
export const changedValues = (changes: NonNullable<Event['changes']>): string[] => {
  const { quantity_before, quantity_after, expiry_before, expiry_after, total_before, total_after } = changes;
  const minuteText = (at: string): string => local(Date.parse(at)).slice(0, 16);
  return [
    ...changed('quantity', quantity_before, quantity_after, count),
    ...changed('expiry', expiry_before, expiry_after, minuteText),
    ...changed('price in cents', total_before, total_after, count),
  ];
};

const changed = <T>(name: string, before: T | null, after: T | null, show: (of: T) => string): string[] => {
  if (after === null || before === after) return [];
  return [before === null ? `${name} ${show(after)}` : `${name} from ${show(before)} to ${show(after)}`];
};

const replaced = (of: NonNullable<Adjustment['replacements']>[number]): string => {
  const text = `${of.old_address ?? 'unknown'} → ${of.new_address ?? 'unknown'}`;
  return of.reason === null ? text : `${text} (${wordOf(of.reason)})`;
};

/** More replaced proxies of an adjustment are only counted. */
const MOST_REPLACED = 3;

const detailsOf = ({ changes, replacements }: Adjustment): string => {
  const words = (replacements ?? []).map(replaced);
  const more = words.splice(MOST_REPLACED).length;
  return [...changedValues(changes), ...words, ...(more > 0 ? [`${more} more`] : [])].join(', ');
};

const notGiven = (word: string | null, show: (word: string) => Value = wordOf): Value =>
  word === null ? quiet('not given') : show(word);

const columns: readonly Column<Adjustment>[] = [
  column('Created at', ({ created_at: at }) => notGiven(at, minute)),
  column('Adjustment', ({ type }) => notGiven(type)),
  column(
    'Status',
    ({ status }) => notGiven(status, (word) => badge(LEVELS[word] ?? 'none', wordOf(word))),
    'state',
  ),
  column('By', ({ by }) => notGiven(by)),
  column('Service', ({ account, service_id: id }) =>
    notGiven(id, () => subjectLink(account, 'service', id ?? '')),
  ),
  column('Changes', detailsOf, 'wide'),
];

export const adjustmentTable = (adjustments: readonly Adjustment[]): Markup =>
  table<Adjustment>('Adjustments of services, newest first', columns, adjustments);
