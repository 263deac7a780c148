// Stands between the daemon and an engine: passes requests on, or fails as a test says, and records what the engine took.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { decodeBody } from '../../../remote-write/decode.ts';
import type { Engine } from '../engines.ts';
import { seriesOf } from './samples.ts';

/** What happens to a request: `lost` reaches the engine, but its answer does not reach the daemon. */
export type Treatment =
  | { readonly kind: 'passed' | 'cut' | 'lost' }
  | { readonly kind: 'answered'; readonly status: number; readonly retryAfterS?: number };

export class Relay implements AsyncDisposable {
  /** All samples that were sent, and those that the engine took. */
  readonly offered = new Map<string, Map<number, number>>();
  readonly taken = new Map<string, Map<number, number>>();
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

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/api/v1/write`;
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
    else response.writeHead(answer.status, namedHost(answer.headers)).end(await answer.text());
  }

  async #pass({ headers }: IncomingMessage, body: Buffer): Promise<Response> {
    addSamples(this.offered, body);
    const answer = await fetch(`${this.#engine.url}/api/v1/write`, {
      ...{ method: 'POST', body },
      headers: Object.fromEntries(HEADERS.map((name) => [name, `${headers[name]}`])),
    });
    if (answer.ok) addSamples(this.taken, body);
    return answer;
  }
}

/** The header by which proxywatch recognizes VictoriaMetrics. */
const namedHost = (headers: Headers): Record<string, string> => {
  const host = headers.get('x-server-hostname');
  return host === null ? {} : { 'x-server-hostname': host };
};

const HEADERS = ['content-type', 'content-encoding', 'x-prometheus-remote-write-version'];

/** Throws if a sample has another value than before, because engines then keep either of them. */
const addSamples = (samples: Map<string, Map<number, number>>, body: Buffer): void => {
  for (const { labels, samples: ofSeries } of decodeBody(body)) {
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
