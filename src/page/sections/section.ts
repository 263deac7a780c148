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
  /** Is called with the answer that was drawn when the page shows it. */
  readonly onShown?: (answer: T | null) => void;
  /** Is called when the page shows an error instead of an answer. */
  readonly onError?: () => void;
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
    await this.#show(answer, () => request !== this.#requests);
  }

  /** `isOvertaken` returns whether there is a later request, whose answer the page is to show. */
  async #show(answer: Answer<T>, isOvertaken: () => boolean): Promise<void> {
    const { element, draw, onShown, onRefusal } = this.#options;
    if (isOvertaken() || answer.kind === 'unchanged') return;
    if (answer.kind === 'failed') {
      if (answer.status === 400 && onRefusal?.()) return this.refresh();
      return this.#showError(answer.error);
    }
    const body = answer.kind === 'new' ? answer.body : null;
    const drawn = await drawOrError(() => draw(body));
    // Drawing may have waited for another answer.
    if (isOvertaken()) return;
    if (drawn instanceof AnswerError) return this.#showError(drawn.message);
    show(element, drawn);
    onShown?.(body);
    if (answer.kind === 'new') answer.keep();
  }

  #showError(error: string): void {
    show(this.#options.element, errorNote(`The daemon reported an error: ${error}`));
    this.#options.onError?.();
  }
}

const drawOrError = async (draw: () => Markup | Promise<Markup>): Promise<Markup | AnswerError> => {
  try {
    return await draw();
  } catch (error) {
    if (error instanceof AnswerError) return error;
    throw error;
  }
};
