// Shows a list of the API one page at a time, with buttons for the previous and the next page.

import type { Page } from './answers.ts';
import type { Markup } from './html.ts';
import { Section } from './sections/section.ts';

export interface PagedListOptions<T, P extends Page<T> = Page<T>> {
  /** The element of the list. The buttons are added after it. */
  readonly element: HTMLElement;
  /** The name of the items, for the accessible name of the buttons. */
  readonly itemName: string;
  /** Returns the path of the list with all parameters except the cursor; null while there is none to request. */
  readonly path: () => string | null;
  /** Draws a page, or null if the daemon does not have the list. */
  readonly draw: (page: P | null) => Markup | Promise<Markup>;
  readonly pageSize: number;
  /** Is called after a button was used. */
  readonly onPageChange: () => void;
}

export class PagedList<T, P extends Page<T> = Page<T>> {
  readonly #options: PagedListOptions<T, P>;
  readonly #section: Section<P>;
  /**
   * The cursors of the pages up to the current one; the first page has none. The browser's history keeps them, so that the
   * back button leads to the same page of the list.
   */
  #cursors: readonly string[];
  /** The path without a cursor to which the cursors belong. */
  #path: string;
  #next: string | null = null;
  readonly #nav = document.createElement('nav');
  readonly #rangeText = document.createElement('span');
  readonly #buttons: readonly [HTMLButtonElement, HTMLButtonElement];

  constructor(options: PagedListOptions<T, P>) {
    this.#options = options;
    const { path: keptPath = '', cursors = [] } = keptState()[options.element.id] ?? {};
    this.#path = keptPath;
    this.#cursors = cursors;
    this.#section = new Section({
      element: options.element,
      path: () => {
        const path = options.path();
        return path === null ? null : this.#withCursor(path);
      },
      draw: (page) => this.#draw(page),
      onRefusal: () => this.#dropCursors(),
    });
    this.#buttons = [
      this.#button('Previous', () => this.#cursors.slice(0, -1)),
      this.#button('Next', () => [...this.#cursors, ...(this.#next === null ? [] : [this.#next])]),
    ];
    this.#nav.className = 'pager';
    this.#nav.setAttribute('aria-label', `Pages of ${options.itemName}`);
    this.#rangeText.setAttribute('role', 'status');
    this.#nav.append(this.#buttons[0], this.#rangeText, this.#buttons[1]);
    this.#nav.hidden = true;
    options.element.after(this.#nav);
  }

  refresh(): Promise<void> {
    return this.#section.refresh();
  }

  /** Goes back to the first page, because another list is requested. */
  reset(): void {
    this.#cursors = [];
    this.#keep();
  }

  #keep(): void {
    const kept: Kept = { path: this.#path, cursors: this.#cursors };
    history.replaceState({ ...keptState(), [this.#options.element.id]: kept }, '', location.href);
  }

  /** Returns whether there were any. A cursor of another version of the daemon may be refused. */
  #dropCursors(): boolean {
    const hadCursors = this.#cursors.length > 0;
    if (hadCursors) this.reset();
    return hadCursors;
  }

  #withCursor(path: string): string {
    if (path !== this.#path) this.#dropCursors();
    this.#path = path;
    const cursor = this.#cursors.at(-1);
    return cursor === undefined ? path : `${path}&cursor=${encodeURIComponent(cursor)}`;
  }

  async #draw(page: P | null): Promise<Markup> {
    const markup = await this.#options.draw(page);
    this.#next = page?.next_cursor ?? null;
    const first = this.#cursors.length * this.#options.pageSize + 1;
    this.#rangeText.textContent = page?.data.length
      ? `${first} to ${first - 1 + page.data.length}`
      : 'No items on this page';
    this.#nav.hidden = this.#cursors.length === 0 && this.#next === null;
    // `disabled` is not used, because the button that was used would lose the focus.
    this.#buttons[0].ariaDisabled = String(this.#cursors.length === 0);
    this.#buttons[1].ariaDisabled = String(this.#next === null);
    return markup;
  }

  #button(label: string, move: () => readonly string[]): HTMLButtonElement {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = label;
    button.addEventListener('click', () => {
      if (button.ariaDisabled === 'true') return;
      this.#cursors = move();
      this.#keep();
      this.#options.onPageChange();
    });
    return button;
  }
}

interface Kept {
  readonly path: string;
  readonly cursors: readonly string[];
}

/** By the id of a list. */
const keptState = (): Readonly<Record<string, Partial<Kept>>> => history.state ?? {};
