// One answer of the API, asked for again by its tag: what has not changed is neither sent nor drawn.

/** The daemon did not answer at all. */
export class Gone extends Error {}

export type Answer<T> =
  | { readonly kind: 'same' }
  | { readonly kind: 'new'; readonly body: T }
  /** The daemon has no such thing. */
  | { readonly kind: 'missing' }
  | { readonly kind: 'failed'; readonly words: string };

/** A daemon that takes longer is as good as gone. */
const TIMEOUT_MS = 20_000;

export class Feed<T> {
  #address = '';
  #tag: string | null = null;

  /** `path` is relative to the page, so that it may stand below a path of a reverse proxy. Throws Gone. */
  async ask(path: string): Promise<Answer<T>> {
    if (path !== this.#address) this.#tag = null;
    this.#address = path;
    const response = await this.#fetch(path);
    if (response.status === 304) return { kind: 'same' };
    if (response.status === 404) return { kind: 'missing' };
    const body = (await response.json().catch(() => null)) as { readonly error?: string } | null;
    // A reverse proxy says so for the daemon.
    if ([502, 503, 504].includes(response.status)) throw new Gone(`${response.status}`);
    if (!response.ok) return { kind: 'failed', words: body?.error ?? `status ${response.status}` };
    // Another path may have been asked for meanwhile.
    if (path === this.#address) this.#tag = response.headers.get('etag');
    return { kind: 'new', body: body as T };
  }

  async #fetch(path: string): Promise<Response> {
    const headers: Record<string, string> = this.#tag === null ? {} : { 'if-none-match': this.#tag };
    try {
      return await fetch(path, { headers, cache: 'no-store', signal: AbortSignal.timeout(TIMEOUT_MS) });
    } catch (cause) {
      throw new Gone('no answer', { cause });
    }
  }
}
