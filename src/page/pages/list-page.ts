// Builds pages of long lists, which the reader can search, filter, sort, page through and download.

import type { View } from '../address.ts';
import type { Page as AnswerPage } from '../answers.ts';
import { bindChoice, choose, chosen } from '../choice.ts';
import { type Column, emptyNote, table } from '../components.ts';
import { count } from '../format.ts';
import { html, type Markup } from '../html.ts';
import { PagedList } from '../paged-list.ts';
import { answerKeeper } from '../sections/section.ts';
import { elementById, show } from '../show.ts';
import { withFreshness } from '../views/freshness.ts';
import type { Page, PageContext, RunningPage } from './page.ts';

/** A parameter and its values by the shown text. `answered` values are in the answer; without values it takes any text. */
export interface ListFilter {
  readonly name: string;
  readonly label: string;
  readonly values: Readonly<Record<string, string>> | 'answered' | null;
  readonly textOf?: (value: string) => string;
  /** Converts what the reader entered to the value of the API. */
  readonly toParameter?: (text: string) => string;
}

export interface ListDefinition<T, D = unknown> {
  /** The name of the items, such as `proxy users`. */
  readonly itemName: string;
  readonly path: string;
  /** What the search finds; null if the list cannot be searched. */
  readonly searched: string | null;
  readonly filters: readonly ListFilter[];
  /** The orders by the text that the reader sees. The first one is the API's default. */
  readonly sorts: Readonly<Record<string, string>>;
  /** Returns the path of an answer about the shown items, which the columns get. */
  readonly detailsPath?: (items: readonly T[], account: string) => string;
  columns(chosen: Readonly<Record<string, string>>, now: number, details?: D): readonly Column<T>[];
  readonly noItems: string;
}

const PAGE_SIZE = 25;
/** The largest page of the API. */
const DOWNLOAD_SIZE = 1_000;
const SEARCH_DELAY_MS = 300;

/** The choices that the API has as parameters of the same name. */
const parametersOf = <T>({ searched, filters, sorts }: ListDefinition<T>): string[] => [
  ...(searched === null ? [] : ['q']),
  ...filters.map(({ name }) => name),
  ...(Object.keys(sorts).length > 1 ? ['sort'] : []),
];

export const listPage = <T>(definition: ListDefinition<T>): Page => ({
  content: () =>
    html`<section class="script-only card" aria-label="${definition.itemName}"><div class="controls">${controlsOf(definition)}</div>${frame}</section>`,
  setUp: (context) => setUp(definition, context),
});

const frame = html`<p class="list-head"><span id="total" role="status"></span> <span id="downloads"></span></p><div id="items"></div>`;

const controlsOf = <T>({ searched, filters, sorts, itemName }: ListDefinition<T>): Markup => html`
${searched === null ? null : html`<label>Search <input type="search" id="q" placeholder="${searched}" aria-label="Search ${itemName} by ${searched}" autocomplete="off" spellcheck="false"></label>`}
${filters.map(({ name, label, values }) =>
  values === null
    ? html`<label>${label} <input type="search" id="${name}" autocomplete="off" spellcheck="false"></label>`
    : html`<label>${label} <select id="${name}"><option value="">All</option>${values === 'answered' ? null : optionsOf(values)}</select></label>`,
)}
${Object.keys(sorts).length > 1 ? html`<label>Order <select id="sort">${optionsOf(sorts, true)}</select></label>` : null}`;

/** The value of the default is empty, so that it is not in the address. */
const optionsOf = (values: Readonly<Record<string, string>>, hasDefault = false): Markup[] =>
  Object.entries(values).map(
    ([value, text], index) =>
      html`<option value="${hasDefault && index === 0 ? '' : value}">${text}</option>`,
  );

const setUp = <T>(definition: ListDefinition<T>, { view, onChange }: PageContext): RunningPage => {
  const parameters = parametersOf(definition);
  const requestDetails = answerKeeper<unknown>();
  const list = new PagedList<T, ListAnswer<T>>({
    element: elementById('items'),
    itemName: definition.itemName,
    pageSize: PAGE_SIZE,
    path: () => pathOf(definition, view, PAGE_SIZE),
    draw: async (page) => {
      const path = page?.data.length ? definition.detailsPath?.(page.data, view.account) : undefined;
      const details = path === undefined ? undefined : await requestDetails(path);
      showHead(definition, view, page);
      showValues(definition, page?.filter_values ?? {});
      return drawItems(definition, page, details);
    },
    onPageChange: onChange,
  });
  for (const name of parameters)
    bindChoice(name, [elementById<HTMLSelectElement | HTMLInputElement>(name)], onChange);
  for (const input of document.querySelectorAll<HTMLInputElement>('.controls input[type=search]'))
    searchWhileTyping(input, onChange);
  sortByHeadings(definition, onChange);
  return { refreshers: [list.refresh] };
};

/** Searches when the reader pauses. */
const searchWhileTyping = (input: HTMLInputElement, search: () => void): void => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  input.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      choose({ [input.id]: input.value });
      search();
    }, SEARCH_DELAY_MS);
  });
};

/** A heading sorts by its column, and in the other direction if the list has that order already. */
const sortByHeadings = <T>({ sorts }: ListDefinition<T>, onChange: () => void): void => {
  const select = document.getElementById('sort') as HTMLSelectElement | null;
  elementById('items').addEventListener('click', ({ target }) => {
    const heading = (target as Element).closest<HTMLElement>('[data-sort]');
    if (!heading || !select) return;
    const wanted = [heading.dataset.sort ?? '', `-${heading.dataset.sort}`].filter((name) => name in sorts);
    const present = sortOf(sorts);
    const next = wanted.find((name) => name !== present) ?? wanted[0] ?? '';
    const value = next === Object.keys(sorts)[0] ? '' : next;
    choose({ sort: value });
    select.value = value;
    onChange();
  });
};

const sortOf = (sorts: Readonly<Record<string, string>>): string =>
  chosen('sort') || (Object.keys(sorts)[0] ?? '');

/** Returns the request for the choices in the address of the page. */
export const pathOf = <T>(
  definition: ListDefinition<T>,
  { account }: Pick<View, 'account'>,
  limit: number,
): string => {
  const query = new URLSearchParams({ account, limit: String(limit) });
  for (const name of parametersOf(definition)) {
    const value = chosen(name);
    const toParameter = definition.filters.find((filter) => filter.name === name)?.toParameter;
    if (value) query.set(name, toParameter?.(value) ?? value);
  }
  return `${definition.path}?${query}`;
};

/** The API does not count the alert history, and of the inventory's changes it counts only some. */
interface ListAnswer<T> extends AnswerPage<T> {
  readonly total?: number | null;
  readonly filter_values?: Readonly<Record<string, readonly string[]>>;
}

/** A value of the address need not be among the known ones, for example if its last item was removed. */
const showValues = <T>({ filters }: ListDefinition<T>, values: ListAnswer<T>['filter_values'] & {}): void => {
  for (const { name, values: kind, toParameter, textOf } of filters) {
    if (kind !== 'answered') continue;
    const given = chosen(name) ?? '';
    const value = toParameter?.(given) ?? given;
    const all = new Set([...(values[name] ?? []), ...(value === '' ? [] : [value])]);
    const texts = Object.fromEntries([...all].sort().map((each) => [each, textOf?.(each) ?? each]));
    const select = elementById<HTMLSelectElement>(name);
    show(select, html`<option value="">All</option>${optionsOf(texts)}`);
    select.value = value;
  }
};

const showHead = <T>(definition: ListDefinition<T>, view: View, page: ListAnswer<T> | null): void => {
  const total = page?.total ?? null;
  elementById('total').textContent = total === null ? '' : `${count(total)} ${definition.itemName}`;
  const path = pathOf(definition, view, DOWNLOAD_SIZE);
  const csv = `${path.replace(/&limit=\d+/, '')}&format=csv`;
  show(elementById('downloads'), html`<a href="${csv}" download>CSV</a> <a href="${path}">JSON</a>`);
};

const drawItems = <T>(
  definition: ListDefinition<T>,
  page: AnswerPage<T> | null,
  details: unknown,
): Markup => {
  const [now, items] = [Date.now(), page?.data ?? []];
  const choices = Object.fromEntries(parametersOf(definition).map((name) => [name, chosen(name) ?? '']));
  const isNarrowed = Object.entries(choices).some(([name, value]) => name !== 'sort' && value !== '');
  return withFreshness({ freshness: page?.freshness?.[0], now, isEmpty: items.length === 0 }, () =>
    items.length === 0
      ? emptyNote(isNarrowed ? 'Nothing matches.' : definition.noItems)
      : table(
          definition.itemName,
          definition.columns(choices, now, details),
          items,
          sortOf(definition.sorts),
        ),
  );
};
