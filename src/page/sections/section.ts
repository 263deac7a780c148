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
  /** Is called if the daemon refuses the path. Returns whether there is another path to request instead. */
  readonly onRefusal?: () => boolean;
}

/** `draw` throws this if the daemon answered another request of the section with an error. */
export class AnswerError extends Error {}

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
    const { element, draw, onRefusal } = this.#options;
    if (answer.kind === 'unchanged') return;
    if (answer.kind === 'failed') {
      if (answer.status === 400 && onRefusal?.()) return this.refresh();
      return this.#showError(answer.error);
    }
    try {
      show(element, await draw(answer.kind === 'new' ? answer.body : null));
    } catch (error) {
      if (error instanceof AnswerError) return this.#showError(error.message);
      throw error;
    }
    if (answer.kind === 'new') answer.keep();
  }

  #showError(error: string): void {
    show(this.#options.element, errorNote(`The daemon reported an error: ${error}`));
  }
}
