// Starts an HTTP receiver for tests that records requests and answers with the configured status.

import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** Settings of a receiver that make each change of alerts one notification at once, without repetitions. */
export const UNGROUPED = {
  min_severity: 'info',
  group_by: [],
  group_wait: '0s',
  group_interval: '0s',
  repeat_every: '365d',
} as const;

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Status of the answer; 0 if the connection was cut. */
  readonly status: number;
}

export class FakeReceiver implements AsyncDisposable {
  readonly received: Received[] = [];
  /** 0 cuts the connection. */
  status = 200;
  headers: Record<string, string> = {};
  /** The body of the answers. */
  answer = 'ok';
  /** Returns the status for a request's body. Override it to answer by content. */
  statusOf: (body: string) => number = () => this.status;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<FakeReceiver> {
    const server = createServer(async (request, response) => {
      const { method = '', url = '', headers } = request;
      const body = await text(request);
      const status = receiver.statusOf(body);
      receiver.received.push({ method, path: url, headers, body, status });
      if (status === 0) request.socket.destroy();
      else response.writeHead(status, receiver.headers).end(receiver.answer);
    });
    const receiver = new FakeReceiver(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The requests that were answered with a 2xx status. */
  get accepted(): Received[] {
    return this.received.filter(({ status }) => status >= 200 && status < 300);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
