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

  /** Rises when other keys are found. */
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

  /** The keys as they are now where they come from; undefined where those that were `sent` are the newest. */
  newerThan(sent: KeyPair): KeyPair | undefined {
    // What refresh() says is not enough: another request may have revealed the new value before.
    this.#secrets.publicKey.refresh();
    this.#secrets.privateKey.refresh();
    const fresh = this.reveal();
    return isSame(fresh, sent) ? undefined : fresh;
  }
}

const isSame = (keys: KeyPair, others: KeyPair | undefined): boolean =>
  keys.every((key, index) => key === others?.[index]);
