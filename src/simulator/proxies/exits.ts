// Chooses the addresses from which gateways leave to the target, and remembers the exit of each connection.

import type { Socket } from 'node:net';
import { draw, hashText, mix, pick } from '../random.ts';
import { NETWORKS, PLACES, type Place } from '../resources/places.ts';
import type { GatewayOptions } from './username-options.ts';

export interface Exit {
  readonly address: string;
  readonly country: string;
}

const NODES_PER_PLACE = 50;

export interface ExitRequest {
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
