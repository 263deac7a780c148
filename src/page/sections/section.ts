// Shows an answer of the API, or an error, in an element. An unchanged answer is neither sent nor drawn again.

import type { Unknown } from '../answers.ts';
import { errorNote } from '../components.ts';
import type { Markup } from '../html.ts';
import { show } from '../show.ts';

/** The daemon did not answer. */
export class UnreachableError extends Error {}

type Answer<T> =
  | { readonly kind: 'unchanged' }
  | {
      readonly kind: 'new';
      readonly body: T;
      /** Is to be called when the answer is shown. Until then, the next request returns the whole answer again. */
      readonly keep: () => void;
    }
  /** The daemon answered 404. */
  | { readonly kind: 'missing' }
  | { readonly kind: 'failed'; readonly status: number; readonly error: string };

/** A daemon that takes longer counts as unreachable. */
const TIMEOUT_MS = 20_000;

class ConditionalFetcher<T> {
  #path = '';
  #etag: string | null = null;

  /** `path` is relative to the page, so that a reverse proxy may serve it below a path. Throws UnreachableError. */
  async get(path: string): Promise<Answer<T>> {
    if (path !== this.#path) this.#etag = null;
    this.#path = path;
    const response = await this.#fetch(path);
    if (response.status === 304) return { kind: 'unchanged' };
    // The page no longer shows the answer with this ETag.
    this.#etag = null;
    if (response.status === 404) {
      // The browser keeps a connection until the whole answer is read.
      await response.body?.cancel();
      return { kind: 'missing' };
    }
    const body = (await response.json().catch(() => null)) as { readonly error?: string } | null;
    // A reverse proxy answers this if it cannot reach the daemon.
    if ([502, 503, 504].includes(response.status)) throw new UnreachableError(`${response.status}`);
    const { status } = response;
    if (!response.ok) return { kind: 'failed', status, error: body?.error ?? `status ${status}` };
    return { kind: 'new', body: body as T, keep: () => this.#keep(path, response.headers.get('etag')) };
  }

  /** Another path may have been requested meanwhile. */
  #keep(path: string, etag: string | null): void {
    if (path === this.#path) this.#etag = etag;
  }

  async #fetch(path: string): Promise<Response> {
    const headers: Record<string, string> = this.#etag === null ? {} : { 'if-none-match': this.#etag };
    try {
      return await fetch(path, { headers, cache: 'no-store', signal: AbortSignal.timeout(TIMEOUT_MS) });
    } catch (cause) {
      throw new UnreachableError('no answer', { cause });
    }
  }
}

export type Refresh = () => Promise<void>;

interface SectionOptions<T> {
  readonly element: Element;
  /** Returns the path to request next; null while there is none to request. */
  readonly path: () => string | null;
  /** Draws the answer, or null if the daemon answered 404. */
  readonly draw: (answer: T | null) => Markup | Promise<Markup>;
  readonly onShown?: (answer: T | null) => void;
  /** Is called with each answer before it is drawn, and with `unknown` when the page shows an error instead. */
  readonly onAnswer?: (answer: T | null | Unknown) => void;
  /** Is called when the page shows an error instead of an answer. */
  readonly onError?: () => void;
  /** Is called if the daemon refuses the path. Returns whether there is another path to request instead. */
  readonly onRefusal?: () => boolean;
}

/** `draw` throws this if the daemon answered another request of the section with an error. */
class AnswerError extends Error {}

class Section<T> {
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
    const { element, draw, onShown, onAnswer, onRefusal } = this.#options;
    if (isOvertaken() || answer.kind === 'unchanged') return;
    if (answer.kind === 'failed') {
      if (answer.status === 400 && onRefusal?.()) return this.refresh();
      return this.#showError(answer.error);
    }
    const body = answer.kind === 'new' ? answer.body : null;
    onAnswer?.(body);
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
    this.#options.onAnswer?.('unknown');
  }
}

/** Returns a function that refreshes the section. It throws UnreachableError. */
export const section = <T>(options: SectionOptions<T>): Refresh => {
  const created = new Section(options);
  return () => created.refresh();
};

export const together =
  (refreshers: readonly Refresh[]): Refresh =>
  async () => {
    await Promise.all(refreshers.map((refresh) => refresh()));
  };

/** Returns a function that requests a path, and returns its last answer; undefined for 404. It throws AnswerError. */
export const answerKeeper = <T>(): ((path: string) => Promise<T | undefined>) => {
  const fetcher = new ConditionalFetcher<T>();
  let kept: T | undefined;
  return async (path) => {
    const answer = await fetcher.get(path);
    if (answer.kind === 'failed') throw new AnswerError(answer.error);
    if (answer.kind === 'missing') kept = undefined;
    if (answer.kind !== 'new') return kept;
    kept = answer.body;
    answer.keep();
    return kept;
  };
};

const drawOrError = async (draw: () => Markup | Promise<Markup>): Promise<Markup | AnswerError> => {
  try {
    return await draw();
  } catch (error) {
    if (error instanceof AnswerError) return error;
    throw error;
  }
};
