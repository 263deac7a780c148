// Finds out which addresses use the logins of proxy users, and whether they are expected. Keeps only a keyed hash.

import { SECOND } from '../../lib/time.ts';
import type { ProviderError } from '../../provider/errors.ts';
import type { LogRow } from '../../provider/resources/request-log.ts';
import type { ClientSample, ClientSighting, LogWindow } from '../../store/request-log-store.ts';
import type { RunContext } from '../context.ts';
import {
  type Address,
  AddressLists,
  addressOf,
  CLIENT_BITS,
  type ClientAddressOptions,
  isInNetwork,
  networkOf,
  STORED_BITS,
} from './addresses.ts';
import { classOfCode } from './classes.ts';
import { isIn } from './list-window.ts';

type Context = Pick<RunContext<unknown>, 'account' | 'client' | 'signal' | 'clock'>;

/** Requests of one client with the login of one user. */
interface Use {
  readonly user: string;
  readonly client: string;
  readonly address: Address;
  firstAt: number;
  lastAt: number;
}

/** Compares the addresses of an account's clients. */
export class ClientAddresses {
  readonly #options: ClientAddressOptions;
  readonly #lists = new AddressLists();

  constructor(options: ClientAddressOptions) {
    this.#options = options;
  }

  /** Why some addresses of the last window were not compared. */
  get error(): ProviderError | undefined {
    return this.#lists.error;
  }

  /** `areAll` says that the rows are all of the window. */
  async sampleOf(
    context: Context,
    window: LogWindow,
    rows: readonly LogRow[],
    areAll: boolean,
  ): Promise<ClientSample> {
    this.#lists.beginWindow(context);
    const { uses, isWhole: areKnown } = usesIn(rows, window);
    const sightings: ClientSighting[] = [];
    for (const use of uses) {
      const isExpected = await this.#isExpected(context, use);
      if (isExpected !== undefined) sightings.push(this.#sightingOf(context, use, isExpected));
    }
    const isWhole = areAll && areKnown && sightings.length === uses.length;
    return { basis: this.#basisOf(context), isWhole, sightings };
  }

  /** Returns null if there is nothing to compare with, and undefined if it is not known in this window. */
  async #isExpected(context: Context, { user, client, address }: Use): Promise<boolean | null | undefined> {
    const { allow } = this.#options;
    if (allow.some((network) => isInNetwork(address, network))) return true;
    const list = await this.#lists.of(context, user, client, allow.length === 0);
    if (!list) return undefined;
    if (list.has(client)) return true;
    return list.size === 0 && allow.length === 0 ? null : false;
  }

  #sightingOf({ account, client }: Context, use: Use, isExpected: boolean | null): ClientSighting {
    const isStored = isExpected === false && this.#options.store_networks;
    return {
      ...{ user: use.user, isExpected, firstAt: use.firstAt, lastAt: use.lastAt },
      client: client.keyedHash(`${account.name} ${use.client}`),
      network: isStored ? networkOf(use.address, STORED_BITS) : null,
    };
  }

  #basisOf({ client }: Context): string {
    const { allow, store_networks } = this.#options;
    const networks = allow.map(([address, bits]) => `${address}/${bits}`);
    return client.keyedHash(JSON.stringify([networks.sort(), store_networks]));
  }
}

const isUsed = ({ code }: LogRow): boolean => classOfCode(code) !== 'credentials';

/** Whether no request says who sent it; also without requests. Refused logins need not say it. */
export const areAnonymous = (rows: readonly LogRow[]): boolean => {
  const used = rows.filter(isUsed);
  if (used.length === 0) return rows.length === 0;
  return used.every(({ user, client }) => user === null || client === null || !addressOf(client));
};

/** Leaves out refused logins, which are not used. The uses are not whole if a row is of another time or does not say who sent it. */
const usesIn = (
  rows: readonly LogRow[],
  window: LogWindow,
): { readonly uses: readonly Use[]; readonly isWhole: boolean } => {
  const uses = new Map<string, Use>();
  let isWhole = true;
  for (const row of rows) {
    const { user, at } = row;
    // Windows lack the last second if times have fractions.
    if (at === null || !isIn(row, window) || at % SECOND !== 0) isWhole = false;
    if (at === null || !isIn(row, window) || !isUsed(row)) continue;
    const address = row.client === null ? undefined : addressOf(row.client);
    if (user === null || !address) {
      isWhole = false;
      continue;
    }
    const client = networkOf(address, CLIENT_BITS);
    const key = JSON.stringify([user, client]);
    const use = uses.get(key) ?? { user, client, address, firstAt: at, lastAt: at };
    uses.set(key, use);
    use.firstAt = Math.min(use.firstAt, at);
    use.lastAt = Math.max(use.lastAt, at);
  }
  return { uses: [...uses.values()], isWhole };
};
