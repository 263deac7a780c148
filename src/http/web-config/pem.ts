// Reads certificates and keys, which web.yml contains or names as files. Mistakes quote nothing of their content.

import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describeReadError } from '../../config/read-error.ts';
import type { TlsSettings } from './schema.ts';

/** A mistake at a key of tls_server_config. */
export interface TlsMistake {
  readonly key: keyof TlsSettings;
  readonly message: string;
}

export interface Pem<T> {
  /** The key of tls_server_config that it comes from. */
  readonly key: keyof TlsSettings;
  readonly text: string;
  readonly parsed: T;
}

type Name = 'cert' | 'key' | 'client_ca';

/** Returns undefined if neither the key nor its `_file` variant is set. */
export const readCertificate = (
  settings: TlsSettings,
  name: Name,
): Pem<X509Certificate> | TlsMistake | undefined =>
  readPem(settings, name, 'a certificate (PEM)', (text) => new X509Certificate(text));

export const readKey = (settings: TlsSettings, name: Name): Pem<KeyObject> | TlsMistake | undefined =>
  readPem(settings, name, 'a private key without a passphrase (PEM)', createPrivateKey);

export const isMistake = (read: object | undefined): read is TlsMistake =>
  read !== undefined && 'message' in read;

/** The file takes precedence, as in other exporters. */
const readPem = <T>(
  settings: TlsSettings,
  name: Name,
  expected: string,
  parse: (text: string) => T,
): Pem<T> | TlsMistake | undefined => {
  const file = settings[`${name}_file`];
  if (file === undefined) {
    const text = settings[name]?.reveal();
    return text === undefined ? undefined : parsePem(name, text, `expected ${expected}`, parse);
  }
  try {
    const text = readFileSync(file, 'utf8');
    return parsePem(`${name}_file`, text, `expected a file that contains ${expected}`, parse);
  } catch (error) {
    return { key: `${name}_file`, message: `expected a readable file (${describeReadError(error)})` };
  }
};

const parsePem = <T>(
  key: TlsMistake['key'],
  text: string,
  message: string,
  parse: (text: string) => T,
): Pem<T> | TlsMistake => {
  try {
    return { key, text, parsed: parse(text) };
  } catch {
    return { key, message };
  }
};
