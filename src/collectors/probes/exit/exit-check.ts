// Decides which exits a round checks and what they should be, reads the echoed addresses, compares them, and logs the changes.

import { isIP } from 'node:net';
import type { Log } from '../../../lib/log.ts';
import type { InventoryProxy, ProxyEndpoint } from '../../../store/inventory-store.ts';
import type { ExitResult, ProbeExit } from '../../../store/probe-store.ts';
import type { SourceProxy } from '../../../store/source-proxy-store.ts';
import type { ReadContext } from '../../context.ts';
import { isMetered } from '../budget/byte-prices.ts';
import type { ProbedProxy } from '../probed-proxies.ts';
import type { LabelledTarget } from '../targets.ts';

type ExpectedExit = { readonly addresses: readonly string[] } | { readonly country: string };

type ExitSubject = Pick<SourceProxy, 'productType' | 'providerId' | 'username' | 'facts'> & ProxyEndpoint;

/** Returns undefined if it is unknown. */
const readExpectedExit = async (
  { account, store }: Pick<ReadContext<unknown>, 'account' | 'store'>,
  proxy: ExitSubject,
): Promise<ExpectedExit | undefined> => {
  if (isMetered(proxy.productType)) {
    const country = countryOf(proxy.username);
    return country === undefined ? undefined : { country };
  }
  const known = await readListed({ account, store }, proxy);
  const candidates = [known?.address, known?.addressV6, proxy.facts?.address];
  const addresses = candidates.flatMap((text) => (text && isIP(text) ? normalAddress(text) : []));
  return addresses.length === 0 ? undefined : { addresses: [...new Set(addresses)] };
};

/** Finds the proxy in the inventory by its id or, if only the configuration describes it, by where it listens. */
const readListed = async (
  { account, store }: Pick<ReadContext<unknown>, 'account' | 'store'>,
  { providerId, protocol, host, port }: ExitSubject,
): Promise<InventoryProxy | undefined> => {
  if (providerId) return store.inventory.find(account.name, providerId);
  const [found, other] = await store.inventory.at(account.name, { protocol, host, port });
  return other ? undefined : found;
};

/** Whether this is the country or one of the addresses that the exit should have now. */
const isExpected = (expected: ExpectedExit, value: string): boolean =>
  'country' in expected ? expected.country === value : expected.addresses.includes(value);

/** Compares what was seen. Returns undefined if the answer does not show it. */
export const compareExit = (
  expected: ExpectedExit,
  { address, country }: Echo,
): { expected: string; seen: string; isMismatch: boolean } | undefined => {
  if ('country' in expected) {
    if (country === null) return undefined;
    return { expected: expected.country, seen: country, isMismatch: country !== expected.country };
  }
  // A proxy may also have an address of the other family, which is not known.
  const sameFamily = expected.addresses.filter((each) => isIP(each) === isIP(address));
  const [first] = sameFamily;
  if (first === undefined) return undefined;
  const isMismatch = !sameFamily.includes(address);
  return { expected: isMismatch ? first : address, seen: address, isMismatch };
};

/** The option of a gateway stands in the user name, such as `user_c_gb_s_abc`. */
const countryOf = (username: string): string | undefined =>
  /_c_([a-z]{2})(?:_|$)/i.exec(username)?.[1]?.toLowerCase();

interface ExitCheckOptions {
  /** Undefined if exits are not checked. */
  readonly target: LabelledTarget | undefined;
  /** The time after which an exit is checked again (ms). */
  readonly every: number;
  /** By proxy id: when this process last tried to check the exit (ms). */
  readonly triedAt: Map<string, number>;
  /** By proxy id: what the exit showed last. */
  readonly seen: ReadonlyMap<string, Pick<ProbeExit, 'expected' | 'isMismatch' | 'at'>>;
  /** Deletes what the exit of a proxy showed, because nobody expects it any more. Throws StoreError. */
  readonly forget: (id: string) => Promise<void>;
  /** The account whose inventory knows the proxies. */
  readonly context: Pick<ReadContext<unknown>, 'account' | 'store' | 'clock'>;
}

export class ExitCheck {
  readonly #options: ExitCheckOptions;

  constructor(options: ExitCheckOptions) {
    this.#options = options;
  }

  /** Returns the url to ask now; undefined if the check is not due, or if nothing is known to compare with. */
  async targetFor(proxy: ProbedProxy): Promise<LabelledTarget | undefined> {
    const { target, context, seen } = this.#options;
    if (!target) return undefined;
    const last = seen.get(proxy.id);
    const isDue = this.#isDue(proxy.id);
    if (!isDue && !last?.isMismatch) return undefined;
    const expected = await readExpectedExit(context, proxy);
    if (last && !(expected && isExpected(expected, last.expected))) await this.#options.forget(proxy.id);
    return expected && isDue ? target : undefined;
  }

  /** Returns what the body of the echo shows; undefined if it shows nothing. */
  async resultOf(proxy: ProbedProxy, body: string | null): Promise<ExitResult | undefined> {
    const { context, triedAt } = this.#options;
    // A check that failed is not repeated in each round, because it may cost money.
    triedAt.set(proxy.id, context.clock.now());
    const echo = body === null ? undefined : readEcho(body);
    const expected = await readExpectedExit(context, proxy);
    const compared = echo && expected && compareExit(expected, echo);
    return compared && { proxy: proxy.id, ...compared };
  }

  #isDue(id: string): boolean {
    const { every, triedAt, seen, context } = this.#options;
    const now = context.clock.now();
    const last = Math.max(triedAt.get(id) ?? 0, seen.get(id)?.at ?? 0);
    return last > now || last <= now - every;
  }
}

/** Compares what the store knew before a round with what it knows after it. */
export const logExitChanges = (log: Log, before: readonly ProbeExit[], after: readonly ProbeExit[]): void => {
  const wrongBefore = new Set(before.flatMap(({ proxy, isMismatch }) => (isMismatch ? proxy : [])));
  for (const { proxy, expected, seen, isMismatch } of after) {
    if (isMismatch && !wrongBefore.has(proxy))
      log.warn({ proxy, expected, seen }, 'targets see another exit than expected through this proxy');
    if (!isMismatch && wrongBefore.has(proxy))
      log.info({ proxy, expected, seen }, 'targets see the expected exit through this proxy again');
  }
};

interface Echo {
  readonly address: string;
  /** Two letters in lower case; null if the answer has none. */
  readonly country: string | null;
}

/** The keys that well-known echoes use. */
const ADDRESS_KEYS = ['ip', 'query'];
const COUNTRY_KEYS = ['country_code', 'countryCode', 'country'];

/**
 * Reads plain text, or JSON with the address and perhaps the country. Returns undefined if the body has no address. Nothing else of the body is used, because the target wrote it.
 */
export const readEcho = (body: string): Echo | undefined => {
  const text = body.trim();
  if (isIP(text)) return { address: normalAddress(text), country: null };
  const fields = parseMap(text);
  const address = valueAt(fields, ADDRESS_KEYS, (value) => isIP(value) !== 0);
  if (address === undefined) return undefined;
  const country = valueAt(fields, COUNTRY_KEYS, (value) => /^[a-z]{2}$/i.test(value));
  return { address: normalAddress(address), country: country?.toLowerCase() ?? null };
};

/** Returns an address in the one form in which addresses are compared. */
export const normalAddress = (address: string): string => {
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? [];
  if (mapped !== undefined) return mapped;
  return isIP(address) === 6 ? new URL(`http://[${address}]/`).hostname.slice(1, -1) : address;
};

const parseMap = (text: string): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
};

const valueAt = (
  fields: Readonly<Record<string, unknown>>,
  keys: readonly string[],
  isValid: (value: string) => boolean,
): string | undefined =>
  keys
    .map((key) => fields[key])
    .find((value): value is string => typeof value === 'string' && isValid(value));
