// Reads, compares and widens addresses of clients, and reads those by which proxy users authenticate.

import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { HOUR } from '../../lib/time.ts';
import { mayBeAbsent, ProviderError } from '../../provider/errors.ts';
import { readClientAddresses } from '../../provider/resources/proxy-users.ts';
import type { RunContext } from '../context.ts';

export type Address = ReturnType<typeof ipaddr.process>;
type Network = readonly [address: Address, bits: number];
type Bits = Readonly<Record<'ipv4' | 'ipv6', number>>;

/** Devices change the second half of their IPv6 address, so a client has an IPv4 address or an IPv6 network. */
export const CLIENT_BITS: Bits = { ipv4: 32, ipv6: 64 };
/** The networks that may be stored. */
export const STORED_BITS: Bits = { ipv4: 24, ipv6: 48 };

/** An IPv4 address that is written as an IPv6 address is the IPv4 address. Returns undefined for another text. */
export const addressOf = (text: string): Address | undefined =>
  isIP(text) > 0 && ipaddr.isValid(text) ? ipaddr.process(text) : undefined;

export const isInNetwork = (address: Address, [network, bits]: Network): boolean =>
  address.kind() === network.kind() && address.match(network as never, bits);

/** Returns the network of the address, in CIDR notation. */
export const networkOf = (address: Address, bits: Bits): string => {
  const kind = address.kind();
  const family = kind === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6;
  return `${family.networkAddressFromCIDR(`${address}/${bits[kind]}`)}/${bits[kind]}`;
};

const network = () =>
  z.string().transform((text, context): Network => {
    const [address = '', bits] = text.split('/');
    const parsed = addressOf(address);
    const most = parsed && CLIENT_BITS[parsed.kind()];
    if (parsed && most && bits === undefined) return [parsed, most];
    // An IPv4 network that is written as an IPv6 one is rejected.
    const isNetwork = ipaddr.isValidCIDR(text) && isIP(address) === (parsed?.kind() === 'ipv4' ? 4 : 6);
    if (parsed && most && isNetwork) return [parsed, Math.min(most, Number(bits))];
    context.addIssue('expected an IP address, or a network such as 203.0.113.0/24');
    return z.NEVER;
  });

export const clientAddressOptions = z.strictObject({
  allow: z
    .array(network())
    .max(1_000)
    .prefault([])
    .describe('Addresses and networks (CIDR) from which your programs connect to the proxies'),
  samples: z
    .int()
    .min(100)
    .max(10_000)
    .default(500)
    .describe('Most requests that a run reads to look for other addresses'),
  store_networks: z
    .boolean()
    .default(false)
    .describe('Whether the networks of other addresses (/24, or /48 of IPv6) are stored and shown'),
});

export type ClientAddressOptions = z.infer<typeof clientAddressOptions>;

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
  #failed = new Set<string>();
  /** Why some lists of the window could not be read. */
  error: ProviderError | undefined;

  beginWindow({ clock }: Context): void {
    this.#windowAt = clock.monotonic();
    [this.#listsLeft, this.error] = [MAX_LISTS, undefined];
    this.#failed.clear();
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
    if (this.#listsLeft === 0 || this.#failed.has(user)) return undefined;
    this.#listsLeft -= 1;
    const read = await this.#read(context, user);
    if (read) this.#lists.set(user, { readAt: this.#windowAt, clients: read });
    return read;
  }

  /** Returns an empty list if these keys may not read it. If the provider does not answer, the window reads no further one. */
  async #read({ client, signal }: Context, user: string): Promise<ReadonlySet<string> | undefined> {
    try {
      return new Set((await readClientAddresses(client, user, signal)).map(clientOf));
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      if (mayBeAbsent(error)) return new Set();
      if (error.kind !== 'bad_response') this.#listsLeft = 0;
      this.#failed.add(user);
      this.error = error;
      return undefined;
    }
  }
}

const clientOf = (text: string): string => {
  const address = addressOf(text);
  return address ? networkOf(address, CLIENT_BITS) : text;
};
