// Shows a list of the API one page at a time, with buttons for the previous and the next page.

import type { Page } from './answers.ts';
import type { Markup } from './html.ts';
import { Section } from './sections/section.ts';

export interface PagedListOptions<T> {
  /** The element of the list. The buttons are added after it. */
  readonly element: HTMLElement;
  /** The name of the items, for the accessible name of the buttons. */
  readonly itemName: string;
  /**
   * Returns the path of the list with all parameters except the cursor, or of a single item, which is shown as a list of
   * one; null while there is none to request.
   */
  readonly path: () => string | null;
  /** Draws a page, or null if the daemon does not have the list. */
  readonly draw: (page: Page<T> | null, withCursor: (path: string) => string) => Markup | Promise<Markup>;
  readonly pageSize: number;
  /** Is called after a button was used. */
  readonly onPageChange: () => void;
}

export class PagedList<T> {
  readonly #options: PagedListOptions<T>;
  readonly #section: Section<Page<T> | T>;
  /** The cursors of the pages up to the current one; the first page has none. */
  #cursors: string[] = [];
  #next: string | null = null;
  readonly #nav = document.createElement('nav');
  readonly #rangeText = document.createElement('span');
  readonly #buttons: readonly [HTMLButtonElement, HTMLButtonElement];

  constructor(options: PagedListOptions<T>) {
    this.#options = options;
    this.#section = new Section({
      element: options.element,
      path: () => {
        const path = options.path();
        return path === null ? null : this.#withCursor(path);
      },
      draw: (answer) => this.#draw(answer),
    });
    this.#buttons = [
      this.#button('Previous', () => this.#cursors.pop()),
      this.#button('Next', () => this.#next && this.#cursors.push(this.#next)),
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
  }

  /** Adds the current cursor to a path. Another list with the same order and pages can use it too. */
  #withCursor(path: string): string {
    const cursor = this.#cursors.at(-1);
    return cursor === undefined ? path : `${path}&cursor=${encodeURIComponent(cursor)}`;
  }

  async #draw(answer: Page<T> | T | null): Promise<Markup> {
    const page = answer === null ? null : pageOf(answer);
    const markup = await this.#options.draw(page, (path) => this.#withCursor(path));
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

  #button(label: string, move: () => unknown): HTMLButtonElement {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = label;
    button.addEventListener('click', () => {
      if (button.ariaDisabled === 'true') return;
      move();
      this.#options.onPageChange();
    });
    return button;
  }
}

const pageOf = <T>(answer: Page<T> | T): Page<T> =>
  (answer as Page<T>).next_cursor === undefined
    ? { data: [answer as T], next_cursor: null }
    : (answer as Page<T>);
