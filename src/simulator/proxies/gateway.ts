// Reads options in the user name at a gateway, such as `user_c_gb_s_abc_ttl_30m`, and chooses and remembers exits.

import type { Socket } from 'node:net';
import { HOUR, MINUTE, SECOND } from '../../lib/time.ts';
import { draw, hashText, mix, pick } from '../random.ts';
import { NETWORKS, PLACES, type Place } from '../resources/places.ts';

export interface Exit {
  readonly address: string;
  readonly country: string;
}

const NODES_PER_PLACE = 50;

interface ExitRequest {
  readonly seed: number;
  readonly options: GatewayOptions;
  /** A number that differs between connections. */
  readonly connection: number;
  readonly user: string;
  readonly at: number;
}

/** Returns undefined if no node matches the options. A session keeps its exit for its time to live. */
export const gatewayExit = ({ seed, options, connection, user, at }: ExitRequest): Exit | undefined => {
  const [first, ...others] = PLACES.filter((place) => matches(place, options));
  if (!first || !hasNetwork(options.asn)) return undefined;
  const { session, ttlMs } = options;
  const key =
    session === undefined ? `connection ${connection}` : `${user} ${session} ${Math.floor(at / ttlMs)}`;
  const hash = mix(seed, hashText(key));
  const place = pick(hash, 1, [first, ...others]);
  const node = 1 + Math.floor(draw(hash, 2) * NODES_PER_PLACE);
  return { address: `127.0.${120 + PLACES.indexOf(place)}.${node}`, country: place.country_id };
};

/** The exits of open connections, by the address from which they reach the target. */
export class ExitRegistry {
  readonly #exits = new Map<string, Exit>();

  register(outgoing: Socket, exit: Exit): void {
    const key = `${outgoing.localAddress}:${outgoing.localPort}`;
    this.#exits.set(key, exit);
    outgoing.once('close', () => this.#exits.delete(key));
  }

  /** Returns undefined if the connection, which a target accepted, does not come from a simulated proxy. */
  of(incoming: Socket): Exit | undefined {
    return this.#exits.get(`${incoming.remoteAddress}:${incoming.remotePort}`);
  }
}

const matches = (place: Place, { country, state, city, zip }: GatewayOptions): boolean =>
  (country === undefined || country === place.country_id) &&
  (state === undefined || isName(state, place.subdivision_name, place.subdivision_alias)) &&
  (city === undefined || isName(city, place.city_name, place.city_alias)) &&
  (zip === undefined || zip === place.city_example_postcode?.toLowerCase());

const isName = (wanted: string, name: string, alias: string | null): boolean =>
  wanted === alias || wanted === name.toLowerCase().replaceAll(' ', '_');

const hasNetwork = (asn: number | undefined): boolean =>
  asn === undefined || NETWORKS.some(({ asn_id }) => asn_id === asn);

export type GatewayOptions = ReturnType<typeof gatewayOptions>;

const FORMS: Readonly<Record<string, RegExp>> = {
  c: /^[a-z]{2}$/i,
  state: /^[a-z_]+$/i,
  city: /^[a-z_]+$/i,
  asn: /^\d{1,10}$/,
  zip: /^[a-z\d]+$/i,
  s: /^[a-z\d]+$/i,
  ttl: /^\d{1,6}[smh]$/,
  smartpath: /^$/,
};
const DEFAULT_TTL = 10 * MINUTE;

/** A user name without options contains no underscore. The options are undefined if one is unknown, repeated or malformed. */
export const parseGatewayUser = (text: string) => {
  const [username = '', ...words] = text.split('_');
  const pairs = pairsOf(words);
  const isValid = pairs.every(([name, value]) => FORMS[name]?.test(value));
  const values = new Map(pairs);
  return { username, options: isValid && values.size === pairs.length ? gatewayOptions(values) : undefined };
};

/** An option has one word as its value, and the names of places can have more. */
const pairsOf = (words: readonly string[]): (readonly [name: string, value: string])[] => {
  const pairs: [string, string][] = [];
  let next = 0;
  while (next < words.length) {
    const name = words[next] ?? '';
    const first = next + (name === 'smartpath' ? 1 : 2);
    const isPlace = name === 'state' || name === 'city';
    let end = first;
    while (isPlace && end < words.length && !Object.hasOwn(FORMS, words[end] ?? '')) end += 1;
    pairs.push([name, words.slice(next + 1, end).join('_')]);
    next = end;
  }
  return pairs;
};

export const gatewayOptions = (values: ReadonlyMap<string, string>) => ({
  country: values.get('c')?.toLowerCase(),
  state: values.get('state')?.toLowerCase(),
  city: values.get('city')?.toLowerCase(),
  asn: values.has('asn') ? Number(values.get('asn')) : undefined,
  zip: values.get('zip')?.toLowerCase(),
  /** Undefined changes the exit with every connection. */
  session: values.get('s'),
  ttlMs: ttlOf(values.get('ttl')),
  isSmartpath: values.has('smartpath'),
});

const ttlOf = (text: string | undefined): number => {
  if (text === undefined) return DEFAULT_TTL;
  const unit = text.endsWith('h') ? HOUR : text.endsWith('m') ? MINUTE : SECOND;
  return Number(text.slice(0, -1)) * unit;
};
