// Holds the sockets of one probe: reads answers, ends every wait when something fails, and counts bytes below TLS.

import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { tooLongRequest, tooManyBytes } from './byte-limits.ts';
import type { Complete, Reader } from './reader.ts';
import { closedError, socketError } from './socket-errors.ts';

export class Connection {
  readonly #maxBytes: number;
  readonly #isMetered: boolean;
  #raw: Socket | undefined;
  /** The raw socket, or the outermost TLS socket on it. */
  #stream: Socket | undefined;
  #error: Error | undefined;
  #isDestroyed = false;
  #reject: ((error: Error) => void) | undefined;

  constructor(maxBytes: number, isMetered: boolean) {
    this.#maxBytes = maxBytes;
    this.#isMetered = isMetered;
  }

  get stream(): Socket {
    if (!this.#stream) throw new Error('the connection has no socket yet');
    return this.#stream;
  }

  /** What TLS runs on. If bytes cost money, it gets each read of the raw socket only after the limit was checked. */
  get carrier(): Duplex {
    const { stream } = this;
    return this.#isMetered && stream === this.#raw ? passOn(stream, () => this.checkBytes()) : stream;
  }

  /** The bytes on the raw socket so far. */
  get bytes(): { readonly sent: number; readonly received: number } {
    return { sent: this.#raw?.bytesWritten ?? 0, received: this.#raw?.bytesRead ?? 0 };
  }

  /** Continues on this socket. The first one is the raw socket, and each later one is TLS on it. */
  use(socket: Socket): void {
    if (this.#raw && !this.#isMetered) watchBytes(this);
    this.#raw ??= socket;
    this.#stream = socket;
    socket.on('error', (error) => this.fail(socketError(error)));
    socket.on('close', () => {
      if (!this.#isDestroyed) this.fail(closedError());
    });
  }

  /** Cuts the connection off if it took more bytes than its limit. */
  checkBytes(): void {
    if (this.#isDestroyed || this.#total <= this.#maxBytes) return;
    this.destroy();
    this.fail(tooManyBytes(this.#maxBytes));
  }

  get #total(): number {
    return (this.#raw?.bytesWritten ?? 0) + (this.#raw?.bytesRead ?? 0);
  }

  /** Ends the wait of the probe and each later one. Only the first error counts. */
  fail(error: Error): void {
    this.#error ??= error;
    this.#reject?.(this.#error);
  }

  /** Waits until `start` calls `done`, or until the connection fails. */
  wait<T>(start: (done: (value: T) => void) => void): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#error) return reject(this.#error);
      this.#reject = reject;
      start(resolve);
    });
  }

  /** Reads one answer. Bytes that follow it stay on the socket. */
  read<T>(reader: Reader<T>): Promise<T> {
    return this.wait((done) => {
      const { stream } = this;
      const step = (next: () => Complete<T> | null): boolean => {
        try {
          const answer = next();
          if (!answer) return false;
          stream.off('data', onData).off('end', onEnd).pause();
          if (answer.rest.length > 0) stream.unshift(answer.rest);
          done(answer.value);
        } catch (error) {
          stream.off('data', onData).off('end', onEnd).pause();
          this.fail(error instanceof Error ? error : new Error('the answer could not be read'));
        }
        return true;
      };
      const onData = (chunk: Buffer): void => {
        this.checkBytes();
        if (!this.#isDestroyed) step(() => reader.take(chunk));
      };
      const onEnd = (): void => void (step(() => reader.close()) || this.fail(closedError()));
      stream.on('data', onData).on('end', onEnd).resume();
    });
  }

  write(bytes: string | Buffer): void {
    if (this.#total + bytes.length > this.#maxBytes) this.fail(tooLongRequest(this.#maxBytes));
    else this.stream.write(bytes);
  }

  /** Closes all sockets at once. */
  destroy(): void {
    this.#isDestroyed = true;
    stopWatchingBytes(this);
    this.#stream?.destroy();
    this.#raw?.destroy();
  }
}

interface Watched {
  checkBytes(): void;
}

const watched = new Set<Watched>();
let isScheduled = false;

/**
 * Compares the bytes with their limit once in each turn of the event loop. TLS can receive any number of records that
 * contain no data, such as padding and session tickets, and then runs no code of the probe.
 */
const watchBytes = (connection: Watched): void => {
  watched.add(connection);
  schedule();
};

const stopWatchingBytes = (connection: Watched): void => void watched.delete(connection);

/** Such an immediate runs after the sockets were read, but does not keep the event loop from waiting for them. */
const schedule = (): void => {
  if (isScheduled || watched.size === 0) return;
  isScheduled = true;
  setImmediate(checkAll).unref();
};

const checkAll = (): void => {
  isScheduled = false;
  for (const connection of watched) connection.checkBytes();
  schedule();
};

/**
 * Passes the bytes of a raw socket on to TLS, so that each read can be compared with a limit. By itself, TLS reads from
 * the system up to 1.3 MB in one turn of the event loop, and runs no code of the probe meanwhile. Errors are left to the
 * listeners of the raw socket.
 */
const passOn = (raw: Socket, onRead: () => void): Duplex => {
  const stream = new Duplex({
    read: () => void raw.resume(),
    write: (bytes: Buffer, _encoding, done) => void raw.write(bytes, () => done()),
    final: (done) => void raw.end(() => done()),
    destroy: (_error, done) => {
      raw.destroy();
      done(null);
    },
  });
  raw.on('data', (bytes) => {
    onRead();
    if (!stream.destroyed && !stream.push(bytes)) raw.pause();
  });
  raw.on('end', () => stream.push(null));
  return stream;
};
