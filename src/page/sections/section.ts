// Shows one answer of the API in an element, or an error if it could not be read.

import { errorNote } from '../components.ts';
import { type Answer, ConditionalFetcher } from '../conditional-fetcher.ts';
import type { Markup } from '../html.ts';
import { show } from '../show.ts';

export interface SectionOptions<T> {
  readonly element: Element;
  /** Returns the path to request next; null while there is none to request. */
  readonly path: () => string | null;
  /** Draws the answer, or null if the daemon answered 404. */
  readonly draw: (answer: T | null) => Markup | Promise<Markup>;
}

export class Section<T> {
  readonly #options: SectionOptions<T>;
  readonly #fetcher = new ConditionalFetcher<T>();
  #requests = 0;

  constructor(options: SectionOptions<T>) {
    this.#options = options;
  }

  /** Throws UnreachableError. */
  async refresh(): Promise<void> {
    const path = this.#options.path();
    if (path === null) return;
    this.#requests += 1;
    const request = this.#requests;
    const answer = await this.#fetcher.get(path);
    // A later request has overtaken this one.
    if (request === this.#requests) await this.#show(answer);
  }

  async #show(answer: Answer<T>): Promise<void> {
    const { element, draw } = this.#options;
    if (answer.kind === 'unchanged') return;
    if (answer.kind === 'failed')
      return show(element, errorNote(`The daemon reported an error: ${answer.error}`));
    show(element, await draw(answer.kind === 'new' ? answer.body : null));
  }
}
