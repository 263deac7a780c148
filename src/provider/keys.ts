// Holds an account's pair of keys, whose files may be replaced while the daemon runs.

import type { Secret } from '../lib/secret.ts';
import type { KeyPair } from './request.ts';

export interface KeySecrets {
  readonly publicKey: Secret;
  readonly privateKey: Secret;
}

export class Keys {
  readonly #secrets: KeySecrets;
  #current: KeyPair | undefined;
  #version = 0;

  constructor(secrets: KeySecrets) {
    this.#secrets = secrets;
  }

  /** Rises each time the keys change. */
  get version(): number {
    this.reveal();
    return this.#version;
  }

  reveal(): KeyPair {
    const { publicKey, privateKey } = this.#secrets;
    const keys: KeyPair = [publicKey.reveal(), privateKey.reveal()];
    if (!isSame(keys, this.#current)) this.#version += 1;
    this.#current = keys;
    return keys;
  }

  /** Reads the keys from their files again; undefined if the `sent` keys are the newest. */
  newerThan(sent: KeyPair): KeyPair | undefined {
    // The result of refresh() is not enough, because another request may have read the new value already.
    this.#secrets.publicKey.refresh();
    this.#secrets.privateKey.refresh();
    const newest = this.reveal();
    return isSame(newest, sent) ? undefined : newest;
  }
}

const isSame = (keys: KeyPair, others: KeyPair | undefined): boolean =>
  keys.every((key, index) => key === others?.[index]);
