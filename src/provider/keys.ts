// An account's pair of keys, which may be replaced in their files while we run.

import type { Secret } from '../lib/secret.ts';
import type { KeyPair } from './request.ts';

export interface KeySecrets {
  readonly publicKey: Secret;
  readonly privateKey: Secret;
}

export class Keys {
  readonly #secrets: KeySecrets;
  #present: KeyPair | undefined;
  #version = 0;

  constructor(secrets: KeySecrets) {
    this.#secrets = secrets;
  }

  /** Rises when the keys have changed. */
  get version(): number {
    this.reveal();
    return this.#version;
  }

  reveal(): KeyPair {
    const { publicKey, privateKey } = this.#secrets;
    const keys: KeyPair = [publicKey.reveal(), privateKey.reveal()];
    if (!isSame(keys, this.#present)) this.#version += 1;
    this.#present = keys;
    return keys;
  }

  /** The keys as their files have them now; undefined if the `sent` ones are the newest. */
  newerThan(sent: KeyPair): KeyPair | undefined {
    // The result of refresh() is not enough: another request may have read the new value before.
    this.#secrets.publicKey.refresh();
    this.#secrets.privateKey.refresh();
    const fresh = this.reveal();
    return isSame(fresh, sent) ? undefined : fresh;
  }
}

const isSame = (keys: KeyPair, others: KeyPair | undefined): boolean =>
  keys.every((key, index) => key === others?.[index]);
