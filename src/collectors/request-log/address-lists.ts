// Reads the addresses by which proxy users authenticate, when they are needed, and keeps them in memory for an hour.

import { HOUR } from '../../lib/time.ts';
import { ProviderError } from '../../provider/errors.ts';
import { readClientAddresses } from '../../provider/resources/proxy-users.ts';
import type { RunContext } from '../context.ts';
import { addressOf, CLIENT_BITS, networkOf } from './addresses.ts';

type Context = Pick<RunContext<unknown>, 'client' | 'signal' | 'clock'>;

/** A window asks for the lists of so many users. Others are compared in later windows. */
export const MAX_LISTS = 10;
const KEPT_MS = HOUR;

interface AddressList {
  readonly readAt: number;
  readonly clients: ReadonlySet<string>;
}

export class AddressLists {
  readonly #lists = new Map<string, AddressList>();
  #windowAt = 0;
  #listsLeft = 0;

  beginWindow({ clock }: Context): void {
    this.#windowAt = clock.monotonic();
    this.#listsLeft = MAX_LISTS;
    for (const [user, { readAt }] of this.#lists)
      if (this.#windowAt - readAt >= KEPT_MS) this.#lists.delete(user);
  }

  /**
   * Returns the clients of a user's list; undefined if it is not known in this window. A list without the client is read again,
   * unless an empty one is enough.
   */
  async of(
    context: Context,
    user: string,
    client: string,
    isEmptyEnough: boolean,
  ): Promise<ReadonlySet<string> | undefined> {
    const { readAt = -1, clients } = this.#lists.get(user) ?? {};
    const isNew = readAt >= this.#windowAt;
    if (clients && (isNew || clients.has(client) || (isEmptyEnough && clients.size === 0))) return clients;
    if (this.#listsLeft === 0) return undefined;
    this.#listsLeft -= 1;
    const read = await this.#read(context, user);
    if (read) this.#lists.set(user, { readAt: this.#windowAt, clients: read });
    return read;
  }

  /** Returns an empty list if these keys may not read it. After another error, the window reads no further one. */
  async #read({ client, signal }: Context, user: string): Promise<ReadonlySet<string> | undefined> {
    try {
      const texts = await readClientAddresses(client, user, signal);
      return texts && new Set(texts.map(clientOf));
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      if (error.kind === 'forbidden') return new Set();
      this.#listsLeft = 0;
      return undefined;
    }
  }
}

const clientOf = (text: string): string => {
  const address = addressOf(text);
  return address ? networkOf(address, CLIENT_BITS) : text;
};
