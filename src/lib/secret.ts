// A value that must not be seen: every way of turning it into text says [secret].

import { inspect } from 'node:util';

export class Secret {
  readonly #read: (afresh: boolean) => string;
  readonly #file: string | undefined;
  #revealed: string | undefined;

  /**
   * `read` gives the present value; a secret from a file reads it again when the file has changed,
   * and in any case when asked for it `afresh`.
   */
  constructor(read: ((afresh: boolean) => string) | string, file?: string) {
    this.#read = typeof read === 'string' ? () => read : read;
    this.#file = file;
  }

  /** The value itself. Call it where it is sent, never where it could be kept or logged. */
  reveal(): string {
    this.#revealed = this.#read(false);
    return this.#revealed;
  }

  /** Reads the source again; true when the value is another than reveal() gave last, so that a retry may help. */
  refresh(): boolean {
    return this.#read(true) !== this.#revealed;
  }

  /** Whether the other one always has the same value: it comes from the same file, or both are the same text. */
  isSame(other: Secret): boolean {
    if (this.#file !== undefined || other.#file !== undefined) return this.#file === other.#file;
    return this.#read(false) === other.#read(false);
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
