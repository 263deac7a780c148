// Forwards connections to the simulated target, as the line of this machine that a test can cut.

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';

const TARGET = '127.0.0.1';
const OWN_ADDRESS = `127.46.${(process.pid >> 8) % 256}.${process.pid % 256}`;

/** A port at which the target is reached without a proxy. While it is cut, the port refuses connections. */
export class Line implements AsyncDisposable {
  readonly #to: URL;
  readonly #host: string;
  #server: Server | undefined;
  #port = 0;
  /** Whether the line is cut as soon as it has carried one more connection. */
  cutsAfterNext = false;

  private constructor(to: URL, host: string) {
    this.#to = to;
    this.#host = host;
  }

  /**
   * `host` is the address at which it listens. The default is one of this process, because another process could
   * take the port while the line is cut.
   */
  static async to(url: string, host = OWN_ADDRESS): Promise<Line> {
    const line = new Line(new URL(url), host);
    await line.mend();
    return line;
  }

  get url(): string {
    return `${this.#to.protocol}//${this.#host}:${this.#port}/`;
  }

  async mend(): Promise<void> {
    this.cutsAfterNext = false;
    if (this.#server?.listening) return;
    this.#server = createServer((client) => {
      if (this.cutsAfterNext) this.#server?.close();
      const target = connect(Number(this.#to.port), TARGET);
      for (const [from, into] of [
        [client, target],
        [target, client],
      ] as const) {
        from.pipe(into);
        from.on('error', () => into.destroy());
        from.on('close', () => into.destroy());
      }
    });
    this.#server.listen(this.#port, this.#host);
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  async cut(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (!server) return;
    const closed = once(server, 'close');
    server.close();
    if (server.listening) await closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cut();
  }
}
