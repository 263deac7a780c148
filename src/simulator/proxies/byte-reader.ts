// Reads the start of a conversation from a socket, and keeps what came after it.

import type { Duplex } from 'node:stream';

/** The other side closed the connection before it sent what was expected. */
export class ClosedEarly extends Error {
  override readonly name = 'ClosedEarly';
}

/** More was sent than the reader accepts. */
export class TooLong extends Error {
  override readonly name = 'TooLong';
}

const HEAD_END = '\r\n\r\n';
const MAX_HEAD = 16_384;

export class ByteReader {
  readonly #socket: Duplex;
  #buffer: Buffer = Buffer.alloc(0);

  constructor(socket: Duplex) {
    this.#socket = socket;
  }

  /** Returns the next byte, and leaves it unread. Throws ClosedEarly. */
  async peek(): Promise<number> {
    while (this.#buffer.length === 0) await this.#readMore();
    return this.#buffer[0] ?? 0;
  }

  /** Throws ClosedEarly. */
  async bytes(count: number): Promise<Buffer> {
    while (this.#buffer.length < count) await this.#readMore();
    return this.#take(count);
  }

  /** Returns the head of an HTTP message with the empty line at its end. Throws ClosedEarly and TooLong. */
  async head(): Promise<string> {
    for (;;) {
      const end = this.#buffer.indexOf(HEAD_END);
      if (end >= 0) return this.#take(end + HEAD_END.length).toString('latin1');
      if (this.#buffer.length > MAX_HEAD) throw new TooLong('the head of the message is too long');
      await this.#readMore();
    }
  }

  /** Returns the bytes that were received and not read yet. The socket continues after them. */
  rest(): Buffer {
    return this.#take(this.#buffer.length);
  }

  #take(count: number): Buffer {
    const taken = this.#buffer.subarray(0, count);
    this.#buffer = this.#buffer.subarray(count);
    return taken;
  }

  async #readMore(): Promise<void> {
    for (;;) {
      const chunk: Buffer | null = this.#socket.read();
      if (chunk) {
        this.#buffer = Buffer.concat([this.#buffer, chunk]);
        return;
      }
      if (this.#socket.readableEnded || this.#socket.destroyed) throw new ClosedEarly('the client left');
      await nextEvent(this.#socket);
    }
  }
}

const EVENTS = ['readable', 'end', 'close', 'error'] as const;

const nextEvent = (socket: Duplex): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      for (const event of EVENTS) socket.off(event, done);
      resolve();
    };
    for (const event of EVENTS) socket.once(event, done);
  });
