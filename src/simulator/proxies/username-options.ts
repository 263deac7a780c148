// Reads the options that a customer writes into the user name at a gateway, such as `user_c_gb_s_abc_ttl_30m`.

import { HOUR, MINUTE, SECOND } from '../../lib/time.ts';

export interface GatewayOptions {
  readonly country?: string | undefined;
  readonly state?: string | undefined;
  readonly city?: string | undefined;
  readonly asn?: number | undefined;
  readonly zip?: string | undefined;
  /** Undefined changes the exit with every connection. */
  readonly session?: string | undefined;
  readonly ttlMs: number;
  readonly isSmartpath: boolean;
}

export interface GatewayUser {
  readonly username: string;
  /** Undefined if an option is unknown, repeated or malformed. */
  readonly options: GatewayOptions | undefined;
}

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

/** A user name without options contains no underscore. */
export const parseGatewayUser = (text: string): GatewayUser => {
  const [username = '', ...words] = text.split('_');
  const pairs = pairsOf(words);
  const isValid = pairs.every(([name, value]) => FORMS[name]?.test(value));
  const values = new Map(pairs);
  return { username, options: isValid && values.size === pairs.length ? optionsOf(values) : undefined };
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

const optionsOf = (values: ReadonlyMap<string, string>): GatewayOptions => ({
  country: values.get('c')?.toLowerCase(),
  state: values.get('state')?.toLowerCase(),
  city: values.get('city')?.toLowerCase(),
  asn: values.has('asn') ? Number(values.get('asn')) : undefined,
  zip: values.get('zip')?.toLowerCase(),
  session: values.get('s'),
  ttlMs: ttlOf(values.get('ttl')),
  isSmartpath: values.has('smartpath'),
});

const ttlOf = (text: string | undefined): number => {
  if (text === undefined) return DEFAULT_TTL;
  const unit = text.endsWith('h') ? HOUR : text.endsWith('m') ? MINUTE : SECOND;
  return Number(text.slice(0, -1)) * unit;
};
