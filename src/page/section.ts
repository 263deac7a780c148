// A part of the page that shows one answer of the API, and says so where there is none.

import { type Answer, Feed } from './feed.ts';
import type { Markup } from './html.ts';
import { problem } from './parts.ts';
import { show } from './show.ts';

export interface SectionOptions<T> {
  readonly element: Element;
  /** Path of what is asked for next; null while it can't be known. */
  readonly path: () => string | null;
  /** Draws the answer; null where the daemon has no such thing. */
  readonly draw: (answer: T | null) => Markup | Promise<Markup>;
}

export class Section<T> {
  readonly #options: SectionOptions<T>;
  readonly #feed = new Feed<T>();
  #asked = 0;

  constructor(options: SectionOptions<T>) {
    this.#options = options;
  }

  /** Throws Gone. */
  async refresh(): Promise<void> {
    const path = this.#options.path();
    if (path === null) return;
    this.#asked += 1;
    const turn = this.#asked;
    const answer = await this.#feed.ask(path);
    // A later request has overtaken this one.
    if (turn === this.#asked) await this.#show(answer);
  }

  async #show(answer: Answer<T>): Promise<void> {
    const { element, draw } = this.#options;
    if (answer.kind === 'same') return;
    if (answer.kind === 'failed') return show(element, problem(`Could not be read: ${answer.words}`));
    show(element, await draw(answer.kind === 'new' ? answer.body : null));
  }
}
