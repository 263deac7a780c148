// Stands between the daemon and an engine: passes requests on, or fails as a test says, and records what the engine took.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { type Series, withSamples } from '../../../../src/remote-write/series.ts';
import { writeRequestBody } from '../../../../src/remote-write/write-request.ts';
import { seriesIn } from '../../../remote-write/recording-receiver.ts';
import type { Engine } from '../engines.ts';
import { seriesOf } from './samples.ts';

/** What happens to a request: `lost` reaches the engine, but its answer does not reach the daemon. */
export type Treatment =
  | { readonly kind: 'passed' | 'cut' | 'lost' }
  | { readonly kind: 'answered'; readonly status: number; readonly retryAfterS?: number };

export class Relay implements AsyncDisposable {
  /** All samples that were sent, those that the engine took, and those that were lost on the way to it. */
  readonly offered = new Map<string, Map<number, number>>();
  readonly taken = new Map<string, Map<number, number>>();
  readonly lost = new Map<string, Map<number, number>>();
  /** Set it to lose the samples of these times from requests in version 1.0. */
  loses: (at: number) => boolean = () => false;
  /** How often each treatment was used. */
  readonly counts = new Map<string, number>();
  readonly #engine: Engine;
  readonly #treat: (number: number) => Treatment;
  readonly #server: Server;
  #requests = 0;

  private constructor(engine: Engine, treat: (number: number) => Treatment) {
    this.#engine = engine;
    this.#treat = treat;
    this.#server = createServer((request, response) => {
      this.#relay(request, response).catch(() => response.destroy());
    });
  }

  /** `treat` decides about the request with this number, from 1. */
  static async start(engine: Engine, treat: (number: number) => Treatment): Promise<Relay> {
    const relay = new Relay(engine, treat);
    relay.#server.listen(0, '127.0.0.1');
    await once(relay.#server, 'listening');
    return relay;
  }

  /** Address of the relay, without a path. Requests go to the same path of the engine. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #relay(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#requests += 1;
    const treatment = this.#treat(this.#requests);
    const { kind } = treatment;
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
    const body = await buffer(request);
    if (treatment.kind === 'answered') {
      const { status, retryAfterS } = treatment;
      response.writeHead(status, retryAfterS === undefined ? {} : { 'Retry-After': retryAfterS });
      return void response.end('overloaded');
    }
    if (kind === 'cut') return void response.destroy();
    const answer = await this.#pass(request, body);
    if (kind === 'lost') response.destroy();
    else response.writeHead(answer.status, headersIn(answer.headers, ANSWERED)).end(await answer.text());
  }

  async #pass({ headers, url }: IncomingMessage, body: Buffer): Promise<Response> {
    const series = seriesIn(headers, body);
    addSamples(this.offered, series);
    const lost = withSamples(series, ({ at }) => this.loses(at));
    const taken = withSamples(series, ({ at }) => !this.loses(at));
    const answer = await fetch(this.#engine.url + url, {
      ...{ method: 'POST', body: lost.length > 0 ? writeRequestBody(taken) : body },
      headers: headersIn(new Headers(headers as Record<string, string>), SENT),
    });
    if (answer.ok) {
      addSamples(this.lost, lost);
      addSamples(this.taken, taken);
    }
    return answer;
  }
}

const headersIn = (headers: Headers, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.flatMap((name) => (headers.has(name) ? [[name, `${headers.get(name)}`]] : [])));

const SENT = ['content-type', 'content-encoding', 'x-prometheus-remote-write-version'];
/** What proxywatch reads of answers: by the host, it recognizes VictoriaMetrics. */
const ANSWERED = ['content-type', 'x-server-hostname', 'x-prometheus-remote-write-samples-written'];

/** Throws if a sample has another value than before, because engines then keep either of them. */
const addSamples = (samples: Map<string, Map<number, number>>, added: readonly Series[]): void => {
  for (const { labels, samples: ofSeries } of added) {
    const series = seriesOf(Object.fromEntries(labels));
    const values = samples.get(series) ?? new Map<number, number>();
    samples.set(series, values);
    for (const { at, value } of ofSeries) {
      const before = values.get(at) ?? value;
      if (before !== value) throw new Error(`${series} at ${at} was ${before} and is now ${value}`);
      values.set(at, value);
    }
  }
};
