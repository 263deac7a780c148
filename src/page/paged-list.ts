// A list of the API a page at a time, with buttons for the page before and the next one.

import type { Page } from './answers.ts';
import type { Markup } from './html.ts';
import { Section } from './section.ts';

export interface PagedListOptions<T> {
  /** Holds the list; its buttons are added behind it. */
  readonly element: HTMLElement;
  /** What is listed, for the buttons' names. */
  readonly what: string;
  /** Of the list, with all parameters but the cursor, or of a single item, which is a list of one. */
  readonly path: () => string;
  /** Draws a page; null where the daemon has no such list. */
  readonly draw: (page: Page<T> | null, withCursor: (path: string) => string) => Markup | Promise<Markup>;
  readonly pageSize: number;
  /** Called when a button was used. */
  readonly turned: () => void;
}

export class PagedList<T> {
  readonly #options: PagedListOptions<T>;
  readonly #section: Section<Page<T> | T>;
  /** Of the pages up to the present one; the first page has none. */
  #cursors: string[] = [];
  #next: string | null = null;
  readonly #nav = document.createElement('nav');
  readonly #words = document.createElement('span');
  readonly #buttons: readonly [HTMLButtonElement, HTMLButtonElement];

  constructor(options: PagedListOptions<T>) {
    this.#options = options;
    this.#section = new Section({
      element: options.element,
      path: () => this.#withCursor(options.path()),
      draw: (answer) => this.#draw(answer),
    });
    this.#buttons = [
      this.#button('Previous', () => this.#cursors.pop()),
      this.#button('Next', () => this.#next && this.#cursors.push(this.#next)),
    ];
    this.#nav.className = 'pager';
    this.#nav.setAttribute('aria-label', `Pages of ${options.what}`);
    this.#words.setAttribute('role', 'status');
    this.#nav.append(this.#buttons[0], this.#words, this.#buttons[1]);
    this.#nav.hidden = true;
    options.element.after(this.#nav);
  }

  refresh(): Promise<void> {
    return this.#section.refresh();
  }

  /** Back to the first page, as another list is asked for. */
  reset(): void {
    this.#cursors = [];
  }

  /** Another list in pages of the same order goes on where this one does. */
  #withCursor(path: string): string {
    const cursor = this.#cursors.at(-1);
    return cursor === undefined ? path : `${path}&cursor=${encodeURIComponent(cursor)}`;
  }

  async #draw(answer: Page<T> | T | null): Promise<Markup> {
    const page = answer === null ? null : pageOf(answer);
    const markup = await this.#options.draw(page, (path) => this.#withCursor(path));
    this.#next = page?.next_cursor ?? null;
    const first = this.#cursors.length * this.#options.pageSize + 1;
    this.#words.textContent = page?.data.length ? `${first} to ${first - 1 + page.data.length}` : 'None here';
    this.#nav.hidden = this.#cursors.length === 0 && this.#next === null;
    // Not `disabled`: the button that was used would lose the focus.
    this.#buttons[0].ariaDisabled = String(this.#cursors.length === 0);
    this.#buttons[1].ariaDisabled = String(this.#next === null);
    return markup;
  }

  #button(words: string, turn: () => unknown): HTMLButtonElement {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = words;
    button.addEventListener('click', () => {
      if (button.ariaDisabled === 'true') return;
      turn();
      this.#options.turned();
    });
    return button;
  }
}

const pageOf = <T>(answer: Page<T> | T): Page<T> =>
  (answer as Page<T>).next_cursor === undefined
    ? { data: [answer as T], next_cursor: null }
    : (answer as Page<T>);
