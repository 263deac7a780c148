// Starts a receiver of remote write that records and decodes requests, and answers as a test says.

import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Series } from '../../src/remote-write/series.ts';
import { decodeBody, decodeBody2 } from './decode.ts';
import { decodeOtlp } from './decode-otlp.ts';

export interface Received {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly series: readonly Series[];
}

export interface Reply {
  readonly status: number;
  readonly text?: string | Buffer | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Returns undefined if the request gets no answer. */
export type Responder = (request: Received) => Reply | undefined;

export class RecordingReceiver implements AsyncDisposable {
  readonly requests: Received[] = [];
  /** The requests with a 2xx answer. */
  readonly accepted: Received[] = [];
  /** What these contained, as texts. */
  readonly stored: string[] = [];
  /** Override it to answer otherwise. */
  respond: Responder = () => ({ status: 204 });
  /** The highest number of requests at the same time. */
  mostAtATime = 0;
  readonly #server: Server;
  readonly #scheme: 'http' | 'https';

  private constructor(server: Server, scheme: 'http' | 'https') {
    this.#server = server;
    this.#scheme = scheme;
  }

  static async start(tls?: ServerOptions): Promise<RecordingReceiver> {
    let open = 0;
    const listener: RequestListener = async (request, response) => {
      open += 1;
      receiver.mostAtATime = Math.max(receiver.mostAtATime, open);
      const body = await buffer(request);
      const { method, url, headers } = request;
      const reply = receiver.#record({ method, path: url, headers, body, series: seriesIn(headers, body) });
      open -= 1;
      // The real time means nothing to tests with a driven clock.
      response.sendDate = false;
      if (reply) response.writeHead(reply.status, reply.headers).end(reply.text);
    };
    const server = tls ? createTlsServer(tls, listener) : createServer(listener);
    const receiver = new RecordingReceiver(server, tls ? 'https' : 'http');
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return receiver;
  }

  get url(): string {
    return `${this.#scheme}://127.0.0.1:${(this.#server.address() as AddressInfo).port}/api/v1/write`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #record(request: Received): Reply | undefined {
    this.requests.push(request);
    const reply = this.respond(request);
    if (reply && reply.status < 300) {
      this.accepted.push(request);
      this.stored.push(...samplesIn(request.series));
    }
    return reply;
  }
}

/** Decodes the body of a request of any protocol. */
export const seriesIn = (headers: IncomingHttpHeaders, body: Buffer): Series[] => {
  if (headers['content-encoding'] === 'gzip') return decodeOtlp(body);
  return headers['content-type']?.includes('io.prometheus.write.v2.Request')
    ? decodeBody2(body)
    : decodeBody(body);
};

/** Returns each sample as a text, such as `{"a":"1"} 5@1000`, for comparisons without an order. */
export const samplesIn = (series: readonly Series[]): string[] =>
  series.flatMap(({ labels, samples }) =>
    samples.map(({ at, value }) => `${JSON.stringify(Object.fromEntries(labels))} ${value}@${at}`),
  );
