// Reads the answer of an address echo: plain text, or JSON with the address and perhaps the country.

import { isIP } from 'node:net';

export interface Echo {
  readonly address: string;
  /** Two letters in lower case; null if the answer has none. */
  readonly country: string | null;
}

/** The keys that well-known echoes use. */
const ADDRESS_KEYS = ['ip', 'query'];
const COUNTRY_KEYS = ['country_code', 'countryCode', 'country'];

/** Returns undefined if the body has no address. Nothing else of the body is used, because the target wrote it. */
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
