// Builds small components of the page: times, badges, tables, notes, and frames that the sections fill.

import { addressOf, type View } from './address.ts';
import { count, dateRanges, local, RELATIVE_TIMES, utc } from './format.ts';
import { html, type Markup, type Value } from './html.ts';

/** Shows the distance of a time from `now`, which the browser keeps up to date. The title is the absolute time. */
const time = (at: string, format: keyof typeof RELATIVE_TIMES, now: number): Markup =>
  html`<time datetime="${at}" title="${utc(Date.parse(at))}" data-words="${format}">${RELATIVE_TIMES[format](Date.parse(at), now)}</time>`;

export const ago = (at: string, now: number): Markup => time(at, 'ago', now);

export const ahead = (at: string, now: number): Markup => time(at, 'ahead', now);

export const elapsed = (since: string, now: number): Markup => time(since, 'elapsed', now);

/** How many characters of a local time are shown. */
const PRECISIONS = { day: 10, minute: 16, second: 19 } as const;

/** Shows a time in the reader's time zone. The title is the time in UTC. Only a browser knows the reader's zone. */
export const localTime = (time: number | string, precision: keyof typeof PRECISIONS): Markup => {
  const at = new Date(time).getTime();
  return html`<time datetime="${new Date(at).toISOString()}" title="${utc(at)}">${local(at).slice(0, PRECISIONS[precision])}</time>`;
};

export const minute = (at: number | string): Markup => localTime(at, 'minute');

export const dateAndDistance = (at: string, now: number): Markup =>
  html`<span class="nowrap">${localTime(at, 'day')}</span> <span class="quiet nowrap">${ahead(at, now)}</span>`;

export type Level = keyof typeof SIGNS;

/** Shows a state as a sign and a text. The colour only repeats them. */
export const badge = (level: Level, text: string): Markup =>
  html`<span class="badge ${level}"><span aria-hidden="true">${SIGNS[level]}</span> ${text}</span>`;

const SIGNS = { good: '✓', fair: '!', bad: '✕', none: '–' } as const;

export const subjectLink = (account: string, view: View['view'], id: string, text: Value = id): Markup =>
  html`<a href="${addressOf({ account, view, id })}">${text}</a>`;

export const quiet = (content: Value): Markup => html`<span class="quiet">${content}</span>`;

/** Fills a cell without a value. Narrow screens hide it. */
export const emptyCell = (text = '–'): Markup => html`<span class="quiet nothing">${text}</span>`;

/** Fills a cell with a value as `show` formats it, or with a dash if there is none. */
export const orDash = <T extends Value>(
  value: T | null,
  show: (value: T) => Value = (each) => each,
): Value => (value === null ? emptyCell() : show(value));

/** Fills a cell with a value as `show` formats it, or says that it is unknown. */
export const orUnknown = <T>(value: T | null, show: (value: T) => Value): Value =>
  value === null ? emptyCell('unknown') : show(value);

/** Is shown instead of a list or figures if there are none. */
export const emptyNote = (text: string): Markup => html`<p class="empty">${text}</p>`;

export const errorNote = (text: string): Markup => html`<p class="problem">${badge('bad', text)}</p>`;

/** Shows the progress of long work; null shows nothing. */
export const progressBar = (
  progress: { readonly done: number; readonly total: number | null; readonly unit: string } | null,
): Markup | null => {
  if (!progress) return null;
  const { done, total, unit } = progress;
  if (total === null) return quiet(`${count(done)} ${unit}`);
  return html`<progress value="${done}" max="${total}" aria-label="${unit}"></progress>
${quiet(`${count(done)} of ${count(total)} ${unit}`)}`;
};

/** Shows facts about a subject. A value of null is left out. */
export const factList = (facts: Readonly<Record<string, Value>>): Markup =>
  html`<dl class="figures">${Object.entries(facts).map(([name, value]) =>
    value === null ? null : html`<div><dt>${name}</dt><dd>${value}</dd></div>`,
  )}</dl>`;

export interface Column<T> {
  readonly name: string;
  readonly cell: (item: T) => Value;
  /** A number is aligned right; a wide column takes the remaining width; a state is shown beside the row's header. */
  readonly kind: 'text' | 'number' | 'wide' | 'state';
  /** The name of the order by this column. A minus before it is the reverse order. */
  readonly sort: string | undefined;
}

export const column = <T>(
  name: string,
  cell: Column<T>['cell'],
  kind: Column<T>['kind'] = 'text',
  sort?: string,
): Column<T> => ({ name, cell, kind, sort });

/**
 * Builds a table whose first column has the row headers. Narrow screens show its rows as blocks, each cell with its
 * column's name. Some browsers then no longer treat it as a table, so the roles are set explicitly. `sortedBy` is the
 * present order of a list whose headings the reader can sort by.
 */
export const table = <T>(
  caption: string,
  columns: readonly Column<T>[],
  items: readonly T[],
  sortedBy = '',
): Markup => html`<table role="table" class="stacking">
<caption>${caption}</caption>
<thead role="rowgroup"><tr role="row">${columns.map(
  (column) =>
    html`<th role="columnheader" scope="col" class="${classOf(column)}"${sortState(column, sortedBy)}>${heading(column, sortedBy)}</th>`,
)}</tr></thead>
<tbody role="rowgroup">${items.map((item) => row(columns, item))}</tbody>
</table>`;

/** The heading of a column that can be sorted is a button. Only tables whose order is known can be sorted. */
const heading = <T>({ name, sort }: Column<T>, sortedBy: string): Value =>
  sort === undefined || sortedBy === ''
    ? name
    : html`<button type="button" class="heading" data-sort="${sort}">${name}</button>`;

const classOf = <T>({ kind }: Column<T>): string => (kind === 'text' ? '' : kind);

const sortState = <T>({ sort }: Column<T>, sortedBy: string): Markup | null => {
  if (sort === undefined || (sortedBy !== sort && sortedBy !== `-${sort}`)) return null;
  return sortedBy.startsWith('-') ? html` aria-sort="descending"` : html` aria-sort="ascending"`;
};

const row = <T>(columns: readonly Column<T>[], item: T): Markup => html`
<tr role="row">${columns.map((column, index) =>
  index === 0
    ? html`<th role="rowheader" scope="row" class="${classOf(column)}"><div>${column.cell(item)}</div></th>`
    : html`<td role="cell" class="${classOf(column)}" data-label="${column.name}"><div>${column.cell(item)}</div></td>`,
)}</tr>`;

interface Card {
  /** The id of the heading, which links on the page lead to. */
  readonly id: string;
  readonly title: Value;
  readonly controls?: Value;
}

/** Returns a section with a heading that folds it, and its controls below the heading. */
export const card = ({ id, title, controls = null }: Card, content: Value): Markup => html`
<section class="script-only card" aria-labelledby="${id}"><details class="fold" open><summary><h2 id="${id}">${title}</h2></summary>
${controls === null ? null : html`<div class="controls">${controls}</div>`}
${content}
</details></section>`;

/** Returns a part of a printed document. */
export const part = (title: string, content: Markup): Markup =>
  html`<section><h3>${title}</h3>${content}</section>`;

interface UnknownPart {
  readonly part: string;
  readonly message: string;
  readonly dates: readonly string[];
}

/** Lists what a document does not know, and of which days. */
export const unknownParts = (parts: readonly UnknownPart[]): Markup =>
  html`<ul>${parts.map(
    ({ part, message, dates }) =>
      html`<li>${part}: ${message}${dates.length > 0 ? `: ${dateRanges(dates)}` : ''}</li>`,
  )}</ul>`;

/** Returns an empty figure. `keys` are the names of colours in the style sheet, and what their lines show. */
export const figure = (id: string, caption: Value, keys: Readonly<Record<string, string>> = {}): Markup =>
  html`<figure id="${id}"><figcaption>${caption} ${Object.entries(keys).map(
    ([colour, text]) => html`<span class="key ${colour}">${text}</span> `,
  )}<span class="readout"></span></figcaption><div class="frame" aria-hidden="true"></div></figure>`;
