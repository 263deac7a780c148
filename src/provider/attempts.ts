// Sends single attempts of a request at the account's pace, and updates the state of its endpoints with each result.

import type { ClientContext } from './client-options.ts';
import { mayBeAbsent, ProviderError } from './errors.ts';
import { type Answer, readJson, send, type WireRequest } from './exchange.ts';
import type { Turn } from './pace.ts';
import { type Call, type KeyPair, toWireRequest } from './request.ts';
import type { RunWaits } from './run-waits.ts';
import { decodeAnswer } from './schema.ts';

/** The attempts of one run, or of all requests outside runs. */
export class Attempts {
  readonly #context: ClientContext;
  readonly #waits: RunWaits | undefined;
  /** Endpoints that succeeded in this run. A later rejection by them concerns one part, such as one graph. */
  readonly #succeeded = new Set<string>();

  constructor(context: ClientContext, waits?: RunWaits) {
    this.#context = context;
    this.#waits = waits;
  }

  /** Repeats a request that got 401 if the key files have changed, so a 401 counts only with the newest keys. */
  async send<T>(call: Call<T>, endsAt: number): Promise<T> {
    const { keys } = this.#context;
    const sent = keys.reveal();
    try {
      return await this.#attempt(call, sent, endsAt);
    } catch (error) {
      if (!(error instanceof ProviderError) || error.status !== 401) throw error;
      const newest = keys.newerThan(sent);
      if (!newest) throw error;
      return await this.#attempt(call, newest, endsAt);
    }
  }

  async #attempt<T>(call: Call<T>, keys: KeyPair, endsAt: number): Promise<T> {
    const { base, endpoints, options } = this.#context;
    const { clock, observer, userAgent = 'proxywatch' } = options;
    const request = toWireRequest(base, userAgent, call, keys);
    const turn = await this.#takeTurn(call, endsAt);
    await call.attempts?.starts();
    const startedAt = clock.monotonic();
    let durationMs: number | undefined;
    const observe = (code: string) => {
      const duration = durationMs ?? clock.monotonic() - startedAt;
      observer.onResponse({ endpoint: call.endpoint, code, durationMs: duration });
    };
    try {
      const response = await this.#exchange(request);
      // What is done with the answer does not count.
      durationMs = clock.monotonic() - startedAt;
      this.#observe(call, response, durationMs);
      const data = decodeAnswer(call, readJson(request, response, clock.now()), request.secrets);
      observe(String(response.status));
      this.#succeeded.add(call.endpoint);
      endpoints.succeeded(call.endpoint, startedAt);
      return data;
    } catch (error) {
      if (error instanceof ProviderError) {
        observe(codeLabelOf(error));
        this.#updateState(call, error, turn, startedAt);
        if (hasNotRun(error)) await call.attempts?.refused();
      }
      throw error;
    }
  }

  /** Returns the answer whatever its status, and records whether the provider is reachable. */
  async #exchange(request: WireRequest): Promise<Answer> {
    const { dispatcher, endpoints, options } = this.#context;
    const answer = await send(dispatcher, options.clock, request).catch((error) => {
      if (error instanceof ProviderError) endpoints.attempted(false);
      throw error;
    });
    endpoints.attempted(answer.status < 500);
    if (answer.serverTime !== undefined) {
      const offsetMs = answer.serverTime - options.clock.now();
      endpoints.clockOffsetMs = offsetMs;
      options.observer.onServerDate(offsetMs);
    }
    return answer;
  }

  #observe({ endpoint, query = {} }: Call<unknown>, answer: Answer, durationMs: number): void {
    const { clock, observer } = this.#context.options;
    const at = answer.serverTime ?? clock.now();
    observer.onAnswer?.({ ...answer, endpoint, query, durationMs, at });
  }

  async #takeTurn(call: Call<unknown>, endsAt: number): Promise<Turn> {
    const { endpoints, pacer } = this.#context;
    for (;;) {
      await this.#waitForPause(call, endsAt);
      const turn = await pacer.take(call.signal);
      // While this request waited, another one may have got 429.
      if (endpoints.pauseLeftMs(call.endpoint) === 0) return turn;
    }
  }

  /** Throws ProviderError (rate_limited) if the endpoint's pause ends after `endsAt`. */
  async #waitForPause(call: Call<unknown>, endsAt: number): Promise<void> {
    const { endpoint, signal } = call;
    const { endpoints, options } = this.#context;
    const { clock } = options;
    for (;;) {
      const leftMs = endpoints.pauseLeftMs(endpoint);
      if (leftMs === 0) return;
      if (clock.monotonic() + leftMs > endsAt) throw pausedError(endpoint, leftMs, clock.now());
      this.#waits?.waits(call, clock.now(), clock.now() + leftMs);
      await clock.sleep(Math.ceil(leftMs), signal);
    }
  }

  #updateState(call: Call<unknown>, error: ProviderError, turn: Turn, sentAt: number): void {
    const { kind, status, retryAfterMs } = error;
    const { endpoints, pacer } = this.#context;
    const { endpoint, isOptional = false } = call;
    const isAbsent = call.mayBeAbsent && mayBeAbsent(error);
    const isRejected = kind === 'auth' || (kind === 'forbidden' && !isAbsent);
    if (isRejected && !isOptional && !this.#succeeded.has(endpoint))
      endpoints.rejected(endpoint, status ?? null);
    if (kind !== 'rate_limited') return;
    const { pauseMs, isShared } = endpoints.rateLimited(endpoint, sentAt, retryAfterMs);
    if (isShared) pacer.slowDown(turn, pauseMs);
  }
}

const pausedError = (endpoint: string, leftMs: number, now: number): ProviderError => {
  const until = new Date(now + leftMs).toISOString();
  const problem = `not requested, because proxywatch pauses the endpoint until ${until} after a 429`;
  return new ProviderError('rate_limited', endpoint, problem, { retryAfterMs: leftMs });
};

/** Whether the provider refused the request before running it. */
const hasNotRun = ({ status }: ProviderError): boolean => status === 401 || status === 403 || status === 429;

/** The value of the `code` label under which a failed attempt is counted. */
const codeLabelOf = ({ kind, status }: ProviderError): string =>
  kind === 'network' || kind === 'timeout' || kind === 'bad_response' ? kind : String(status);
