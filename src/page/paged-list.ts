// Shows a list of the API one page at a time, with buttons for the previous and the next page.

import type { Freshness, Page } from './answers.ts';
import type { Markup } from './html.ts';
import { type Refresh, section } from './sections/section.ts';
import { elementById } from './show.ts';
import { itemsWithFreshness } from './views/freshness.ts';

export interface PagedListOptions<T, P extends Page<T> = Page<T>> {
  /** The element of the list. The buttons are added after it. */
  readonly element: HTMLElement;
  /** The name of the items, for the accessible name of the buttons. */
  readonly itemName: string;
  /** Returns the path of the list without a cursor; null if there is none to request. Another path is another list. */
  readonly path: () => string | null;
  /** Draws a page, or null if the daemon does not have the list. */
  readonly draw: (page: P | null) => Markup | Promise<Markup>;
  readonly pageSize: number;
  /** Is called after a button was used. */
  readonly onPageChange: () => void;
}

interface Position {
  /** The path of the list without a cursor. */
  readonly path: string;
  /** The cursors of the pages up to this one; the first page has none. */
  readonly cursors: readonly string[];
}

export class PagedList<T, P extends Page<T> = Page<T>> {
  readonly #options: PagedListOptions<T, P>;
  /** Throws UnreachableError. */
  readonly refresh: Refresh;
  /** The page to request. The browser's history keeps it, so that the back button leads to the same page of the list. */
  #wanted: Position;
  #requested: Position;
  /** The page that is shown, and the cursor of the next one. */
  #shown: Position & { readonly next: string | null } = { path: '', cursors: [], next: null };
  readonly #nav = document.createElement('nav');
  readonly #rangeText = document.createElement('span');
  readonly #buttons: readonly [HTMLButtonElement, HTMLButtonElement];

  constructor(options: PagedListOptions<T, P>) {
    this.#options = options;
    this.#wanted = { path: '', cursors: [], ...keptState()[options.element.id] };
    this.#requested = this.#wanted;
    this.refresh = section<P>({
      element: options.element,
      path: () => {
        const path = options.path();
        return path === null ? null : this.#withCursor(path);
      },
      draw: options.draw,
      onShown: (page) => this.#showPosition(page),
      onRefusal: () => this.#dropCursors(),
    });
    this.#buttons = [
      this.#button('Previous', () => this.#shown.cursors.slice(0, -1)),
      this.#button('Next', () => [...this.#shown.cursors, this.#shown.next ?? []].flat()),
    ];
    this.#nav.className = 'pager';
    this.#nav.setAttribute('aria-label', `Pages of ${options.itemName}`);
    this.#rangeText.setAttribute('role', 'status');
    this.#nav.append(this.#buttons[0], this.#rangeText, this.#buttons[1]);
    this.#nav.hidden = true;
    options.element.after(this.#nav);
  }

  #turnTo(cursors: readonly string[]): void {
    this.#wanted = { ...this.#wanted, cursors };
    history.replaceState({ ...keptState(), [this.#options.element.id]: this.#wanted }, '', location.href);
  }

  /** Returns whether there were any. A cursor of another version of the daemon may be refused. */
  #dropCursors(): boolean {
    const hadCursors = this.#wanted.cursors.length > 0;
    if (hadCursors) this.#turnTo([]);
    return hadCursors;
  }

  #withCursor(path: string): string {
    if (path !== this.#wanted.path) this.#dropCursors();
    this.#wanted = { ...this.#wanted, path };
    this.#requested = this.#wanted;
    this.#updateButtons();
    const cursor = this.#wanted.cursors.at(-1);
    return cursor === undefined ? path : `${path}&cursor=${encodeURIComponent(cursor)}`;
  }

  #showPosition(page: P | null): void {
    const { cursors } = this.#requested;
    const next = page?.next_cursor ?? null;
    this.#shown = { ...this.#requested, next };
    const first = cursors.length * this.#options.pageSize + 1;
    this.#rangeText.textContent = page?.data.length
      ? `${first} to ${first - 1 + page.data.length}`
      : 'No items on this page';
    this.#nav.hidden = cursors.length === 0 && next === null;
    this.#updateButtons();
  }

  /**
   * While the page still shows another list, its cursors do not belong to this one. `disabled` is not used, because the
   * button that was used would lose the focus.
   */
  #updateButtons(): void {
    const { path, cursors, next } = this.#shown;
    const isOther = path !== this.#wanted.path;
    this.#buttons[0].ariaDisabled = String(isOther || cursors.length === 0);
    this.#buttons[1].ariaDisabled = String(isOther || next === null);
  }

  /** A button leads from the page that is shown, so that a second click before the answer leads to the same page. */
  #button(label: string, cursors: () => readonly string[]): HTMLButtonElement {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = label;
    button.addEventListener('click', () => {
      if (button.ariaDisabled === 'true') return;
      this.#turnTo(cursors());
      this.#options.onPageChange();
    });
    return button;
  }
}

/** By the id of a list. */
const keptState = (): Readonly<Record<string, Partial<Position>>> => history.state ?? {};

export interface SimpleList<T> {
  readonly id: string;
  /** The name of the items, for the accessible name of the buttons. */
  readonly itemName: string;
  /** The path with its parameters, without `limit`. Null while there is nothing to request. */
  readonly path: () => string | null;
  readonly pageSize?: number;
  readonly draw: (items: readonly T[]) => Markup;
  readonly noItems: string;
  /** Whether a note about old or missing data is only a badge, because the page has the full note. The default is true. */
  readonly isBrief?: boolean;
  /** Is called with the freshness of each new answer. */
  readonly onFreshness?: (freshness: Freshness | undefined) => void;
  readonly onChange: () => void;
}

export const setUpList = <T>(options: SimpleList<T>): Refresh => {
  const { id, itemName, path, pageSize = 10, draw, noItems, isBrief = true, onFreshness, onChange } = options;
  const list = new PagedList<T>({
    element: elementById(id),
    ...{ itemName, pageSize, onPageChange: onChange },
    path: () => {
      const base = path();
      return base === null ? null : `${base}${base.includes('?') ? '&' : '?'}limit=${pageSize}`;
    },
    draw: (page: Page<T> | null) => {
      onFreshness?.(page?.freshness?.[0]);
      return itemsWithFreshness(page, noItems, draw, { isBrief });
    },
  });
  return list.refresh;
};
