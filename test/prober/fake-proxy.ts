// Proxies for tests, written by hand: they share no code with the prober.

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createServer as createTlsServer } from 'node:tls';
import { certificate } from './certificates.ts';

export type Handler = (socket: Socket, proxy: FakeProxy) => void;

/** A TCP or TLS server that treats each connection with a handler, and remembers what it received. */
export class FakeProxy implements AsyncDisposable {
  readonly #server: Server;
  readonly sockets = new Set<Socket>();
  /** The bytes of each connection, as text. */
  readonly received: string[] = [];
  connections = 0;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(
    handler: Handler,
    { host = '127.0.0.1', port = 0, hasTls = false } = {},
  ): Promise<FakeProxy> {
    const server = hasTls ? createTlsServer(certificate('valid')) : createServer();
    const proxy = new FakeProxy(server);
    server.on('connection', (socket: Socket) => proxy.sockets.add(socket.on('error', () => {})));
    server.on(hasTls ? 'secureConnection' : 'connection', (socket: Socket) => proxy.#serve(socket, handler));
    server.on('tlsClientError', () => {});
    server.listen(port, host);
    await once(server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #serve(socket: Socket, handler: Handler): void {
    const index = this.connections++;
    this.received[index] = '';
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      this.received[index] += bytes.toString('latin1');
    });
    handler(socket, this);
  }
}

/** Sends this text after the first bytes of the client. */
export const answers =
  (...texts: readonly (string | Buffer)[]): Handler =>
  (socket) => {
    const left = [...texts];
    socket.on('data', () => {
      const next = left.shift();
      if (next !== undefined) socket.write(typeof next === 'string' ? Buffer.from(next, 'latin1') : next);
    });
  };

/** Sends each part in a turn of its own. */
export const answersInParts =
  (parts: readonly Buffer[]): Handler =>
  (socket) => {
    socket.setNoDelay(true);
    socket.once('data', async () => {
      for (const part of parts) {
        socket.write(part);
        await nextTurn();
      }
    });
  };

/** Tunnels to a port of this machine, whatever the name of the target is. Wrong credentials get 407. */
export const httpTunnel =
  (port: number, login?: string): Handler =>
  (socket) => {
    socket.once('data', (bytes) => {
      const wanted =
        login === undefined || bytes.includes(`Basic ${Buffer.from(login).toString('base64')}\r\n`);
      if (!wanted)
        socket.end('HTTP/1.1 407 Proxy Authentication Required\r\nx-byteful-status-code: 2011\r\n\r\n');
      else join(socket, port, 'HTTP/1.1 200 OK\r\nx-byteful-status-code: 200\r\n\r\n');
    });
  };

/** Tunnels to a port of this machine over SOCKS5, with `user:password` if it is given. */
export const socksTunnel =
  (port: number, login?: string): Handler =>
  (socket) => {
    const steps: ((bytes: Buffer) => void)[] = [
      () => socket.write(Buffer.from([5, login === undefined ? 0 : 2])),
      ...(login === undefined
        ? []
        : [(bytes: Buffer) => void socket.write(Buffer.from([1, loginIn(bytes) === login ? 0 : 1]))]),
      () => join(socket, port, Buffer.from([5, 0, 0, 1, 127, 0, 0, 1, 0, 80])),
    ];
    const onData = (bytes: Buffer): void => {
      steps.shift()?.(bytes);
      if (steps.length === 0) socket.off('data', onData);
    };
    socket.on('data', onData);
  };

const loginIn = (bytes: Buffer): string => {
  const end = 2 + bytes.readUInt8(1);
  return `${bytes.toString('utf8', 2, end)}:${bytes.toString('utf8', end + 1, end + 1 + bytes.readUInt8(end))}`;
};

const join = (socket: Socket, port: number, answer: string | Buffer): void => {
  const target = connect(port, '127.0.0.1', () => {
    socket.write(answer);
    socket.pipe(target);
    target.pipe(socket);
  });
  target.on('error', () => socket.destroy());
  socket.on('close', () => target.destroy());
};
