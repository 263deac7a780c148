// Small parts of the page: times, badges, tables, lines for what is empty or failed.

import { count, utc, WORDS } from './format.ts';
import { html, type Markup, type Value } from './html.ts';

/** A time as far as it is from `now`, which the browser keeps up to date; its absolute time is the title. */
const time = (at: string, words: keyof typeof WORDS, now: number): Markup =>
  html`<time datetime="${at}" title="${utc(Date.parse(at))}" data-words="${words}">${WORDS[words](Date.parse(at), now)}</time>`;

export const ago = (at: string, now: number): Markup => time(at, 'ago', now);

export const ahead = (at: string, now: number): Markup => time(at, 'ahead', now);

/** A forecast or an end: the day, and how far it is. */
export const day = (at: string, now: number): Markup =>
  html`<span class="nowrap">${at.slice(0, 10)}</span> <span class="quiet nowrap">${ahead(at, now)}</span>`;

export type State = keyof typeof SIGNS;

/** A state as a sign and words: the colour only repeats them. */
export const badge = (state: State, words: string): Markup =>
  html`<span class="badge ${state}"><span aria-hidden="true">${SIGNS[state]}</span> ${words}</span>`;

const SIGNS = { good: '✓', fair: '!', bad: '✕', none: '–' } as const;

export const quiet = (content: Value): Markup => html`<span class="quiet">${content}</span>`;

/** A cell that has nothing to say, and takes no room where there is little. */
export const nothing = (words = '–'): Markup => html`<span class="quiet nothing">${words}</span>`;

/** What stands where there is nothing to show. */
export const empty = (words: string): Markup => html`<p class="empty">${words}</p>`;

export const problem = (words: string): Markup => html`<p class="problem">${badge('bad', words)}</p>`;

/** How far long work has come; null says nothing. */
export const progressBar = (
  progress: { readonly done: number; readonly total: number | null; readonly unit: string } | null,
): Markup | null => {
  if (!progress) return null;
  const { done, total, unit } = progress;
  if (total === null) return quiet(`${count(done)} ${unit}`);
  return html`<progress value="${done}" max="${total}" aria-label="${unit}"></progress>
${quiet(`${count(done)} of ${count(total)} ${unit}`)}`;
};

export interface Column<T> {
  readonly name: string;
  readonly cell: (item: T) => Value;
  /** Numbers stand on the right; what is wide takes the room that is left; a state stands beside the row's head. */
  readonly kind?: 'number' | 'wide' | 'state';
}

/**
 * A table whose first column heads its rows. Narrow screens lay its rows out as blocks, each cell with its column's
 * name, and some browsers then forget that it is a table: hence the roles.
 */
export const table = <T>(
  caption: string,
  columns: readonly Column<T>[],
  items: readonly T[],
): Markup => html`<table role="table" class="stacking">
<caption>${caption}</caption>
<thead role="rowgroup"><tr role="row">${columns.map(
  ({ name, kind }) => html`<th role="columnheader" scope="col" class="${kind ?? ''}">${name}</th>`,
)}</tr></thead>
<tbody role="rowgroup">${items.map((item) => row(columns, item))}</tbody>
</table>`;

const row = <T>(columns: readonly Column<T>[], item: T): Markup => html`
<tr role="row">${columns.map(({ name, cell, kind }, index) =>
  index === 0
    ? html`<th role="rowheader" scope="row" class="${kind ?? ''}"><div>${cell(item)}</div></th>`
    : html`<td role="cell" class="${kind ?? ''}" data-label="${name}"><div>${cell(item)}</div></td>`,
)}</tr>`;
