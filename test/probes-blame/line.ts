// Forwards connections to the simulated target, as the line of this machine that a test can cut.

import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';

const TARGET = '127.0.0.1';

/**
 * The system gives out ports from 32768 on. At a lower one, no other program that asks for any free port takes the port while
 * the line is cut.
 */
const LOW_PORTS = Array.from(
  { length: 20_000 },
  (_, index) => 10_000 + ((process.pid * 16 + index) % 20_000),
);

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

  /** `host` is the address at which it listens. */
  static async to(url: string, host = TARGET): Promise<Line> {
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
    this.#port = await listen(this.#server, this.#host, this.#port === 0 ? LOW_PORTS : [this.#port]);
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

/** Listens at the first free port of these, and returns it. */
const listen = async (server: Server, host: string, ports: readonly number[]): Promise<number> => {
  for (const port of ports) {
    server.listen(port, host);
    const error = await once(server, 'listening').then(
      () => undefined,
      (reason: NodeJS.ErrnoException) => reason,
    );
    if (!error) return port;
    if (error.code !== 'EADDRINUSE') throw error;
  }
  throw new Error('none of the ports is free');
};
