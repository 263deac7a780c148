// Fetches an answer of the API with its ETag, so that an unchanged answer is neither sent nor drawn again.

/** The daemon did not answer. */
export class UnreachableError extends Error {}

export type Answer<T> =
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

export class ConditionalFetcher<T> {
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
