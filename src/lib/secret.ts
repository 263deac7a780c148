// Wraps a value that must not appear in any output: every conversion to text returns `[secret]`.

import { inspect } from 'node:util';

export class Secret {
  readonly #read: (isForced: boolean) => string;
  readonly #file: string | undefined;
  #revealed: string | undefined;

  /** `read` returns the current value. A secret from a file reads the file again when it has changed, or with `isForced`. */
  constructor(read: ((isForced: boolean) => string) | string, file?: string) {
    this.#read = typeof read === 'string' ? () => read : read;
    this.#file = file;
  }

  /** Returns the value. Call it only where the value is sent, never where it could be kept or logged. */
  reveal(): string {
    this.#revealed = this.#read(false);
    return this.#revealed;
  }

  /** Reads the source again. Returns whether the value differs from that of the last reveal(), so that a retry may help. */
  refresh(): boolean {
    return this.#read(true) !== this.#revealed;
  }

  /** Returns a secret that has the changed value. `change` is called whenever the value is read. */
  map(change: (value: string) => string): Secret {
    return new Secret((isForced) => change(this.#read(isForced)), this.#file);
  }

  /** Whether both always have the same value: they come from the same file, or both are the same text. */
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
