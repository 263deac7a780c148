// Single attempts at a request, each in its turn; their results update the account's endpoints and pace.

import type { ClientParts } from './client-parts.ts';
import { ProviderError } from './errors.ts';
import { type Answer, readJson, send, type WireRequest } from './exchange.ts';
import type { Turn } from './pace.ts';
import { type Call, type KeyPair, toWire } from './request.ts';
import { decodeAnswer } from './schema.ts';

/** Of one run, or of all requests that belong to none. */
export class Attempts {
  readonly #parts: ClientParts;
  /** Endpoints that succeeded in this run: any rejection by them concerns one part, such as one graph. */
  readonly #passed = new Set<string>();

  constructor(parts: ClientParts) {
    this.#parts = parts;
  }

  /** Key files may change while the daemon runs: a 401 counts only after an attempt with the newest keys. */
  async send<T>(call: Call<T>, endsAt: number): Promise<T> {
    const { keys } = this.#parts;
    const sent = keys.reveal();
    try {
      return await this.#attempt(call, sent, endsAt);
    } catch (error) {
      if (!(error instanceof ProviderError) || error.status !== 401) throw error;
      const fresh = keys.newerThan(sent);
      if (!fresh) throw error;
      return await this.#attempt(call, fresh, endsAt);
    }
  }

  async #attempt<T>(call: Call<T>, keys: KeyPair, endsAt: number): Promise<T> {
    const { base, endpoints, options } = this.#parts;
    const { clock, observer, userAgent = 'proxywatch' } = options;
    const request = toWire(base, userAgent, call, keys);
    const turn = await this.#turn(call, endsAt);
    await call.attempts?.starts();
    const startedAt = clock.monotonic();
    const observe = (code: string) =>
      observer.onResponse({ endpoint: call.endpoint, code, durationMs: clock.monotonic() - startedAt });
    try {
      const answer = await this.#answer(request);
      const data = decodeAnswer(call, readJson(request, answer, clock.now()), request.secrets);
      observe(String(answer.status));
      this.#passed.add(call.endpoint);
      endpoints.succeeded(call.endpoint, startedAt);
      return data;
    } catch (error) {
      if (error instanceof ProviderError) {
        observe(codeOf(error));
        this.#note(call, error, turn, startedAt);
        if (isRefusal(error)) await call.attempts?.refused();
      }
      throw error;
    }
  }

  /** The answer, whatever its status. */
  async #answer(request: WireRequest): Promise<Answer> {
    const { dispatcher, endpoints, options } = this.#parts;
    const answer = await send(dispatcher, request).catch((error) => {
      if (error instanceof ProviderError) endpoints.attempted(false);
      throw error;
    });
    endpoints.attempted(answer.status < 500);
    if (answer.serverTime !== undefined)
      options.observer.onServerDate(answer.serverTime - options.clock.now());
    return answer;
  }

  async #turn(call: Call<unknown>, endsAt: number): Promise<Turn> {
    const { endpoints, pacer } = this.#parts;
    for (;;) {
      await this.#untilOpen(call, endsAt);
      const turn = await pacer.take(call.signal);
      // Another request may have been refused meanwhile.
      if (endpoints.pauseLeftMs(call.endpoint) === 0) return turn;
    }
  }

  /** Throws ProviderError (rate_limited) when the endpoint's pause lasts longer than until `endsAt`. */
  async #untilOpen({ endpoint, signal }: Call<unknown>, endsAt: number): Promise<void> {
    const { endpoints, options } = this.#parts;
    for (;;) {
      const leftMs = endpoints.pauseLeftMs(endpoint);
      if (leftMs === 0) return;
      if (options.clock.monotonic() + leftMs > endsAt)
        throw stillPaused(endpoint, leftMs, options.clock.now());
      await options.clock.sleep(Math.ceil(leftMs), signal);
    }
  }

  #note(
    call: Call<unknown>,
    { kind, status, retryAfterMs }: ProviderError,
    turn: Turn,
    sentAt: number,
  ): void {
    const { endpoints, pacer } = this.#parts;
    const { endpoint, isOptional = false } = call;
    const isRejected = kind === 'auth' || kind === 'forbidden';
    if (isRejected && !isOptional && !this.#passed.has(endpoint))
      endpoints.rejected(endpoint, status ?? null);
    if (kind !== 'rate_limited') return;
    const { pauseMs, isShared } = endpoints.refused(endpoint, sentAt, retryAfterMs);
    if (isShared) pacer.slowDown(turn, pauseMs);
  }
}

const stillPaused = (endpoint: string, leftMs: number, now: number): ProviderError => {
  const until = new Date(now + leftMs).toISOString();
  const what = `not requested, because proxywatch pauses the endpoint until ${until} after a 429`;
  return new ProviderError('rate_limited', endpoint, what, { retryAfterMs: leftMs });
};

/** A request with such an answer certainly did not run. */
const isRefusal = ({ status }: ProviderError): boolean => status === 401 || status === 403 || status === 429;

/** The label that counts a failed attempt. */
const codeOf = ({ kind, status }: ProviderError): string =>
  kind === 'network' || kind === 'timeout' || kind === 'bad_response' ? kind : String(status);
