// A value that must not be seen: every way of turning it into text says [secret].

import { inspect } from 'node:util';

export class Secret {
  readonly #read: () => string;

  /** `read` gives the present value; a secret from a file reads it again when the file has changed. */
  constructor(read: (() => string) | string) {
    this.#read = typeof read === 'string' ? () => read : read;
  }

  /** The value itself. Call it where it is sent, never where it could be kept or logged. */
  reveal(): string {
    return this.#read();
  }

  toString(): string {
    return '[secret]';
  }

  toJSON(): string {
    return '[secret]';
  }

  [inspect.custom](): string {
    return '[secret]';
  }
}
