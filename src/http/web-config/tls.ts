// Reads the server's certificate, key and TLS settings from the files that web.yml names.

import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { describeReadError } from '../../config/read-error.ts';
import type { ClientAuthType, TlsSettings } from './schema.ts';
import { cipherList, curveList, VERSIONS } from './tls-names.ts';

export interface ServerTls {
  readonly context: SecureContextOptions;
  readonly clientAuth: ClientAuthType;
  /** A client's certificate must have one of these names; an empty list allows any. */
  readonly clientSans: readonly string[];
}

/** A mistake at a key of tls_server_config. */
export interface TlsMistake {
  readonly key: keyof TlsSettings;
  readonly message: string;
}

type Read<T> = { readonly value: T } | TlsMistake;

/** Returns the files whose changes change the configuration. */
export const tlsFilesOf = ({ cert_file, key_file, client_ca_file }: TlsSettings): string[] => [
  cert_file,
  key_file,
  ...(client_ca_file === undefined ? [] : [client_ca_file]),
];

export const readTls = (settings: TlsSettings): ServerTls | readonly TlsMistake[] => {
  const { cert_file, key_file, client_ca_file, client_auth_type, client_allowed_sans } = settings;
  const cert = readPem('cert_file', cert_file, A_CERTIFICATE, certificateOf);
  const key = readPem('key_file', key_file, A_KEY, createPrivateKey);
  const ca =
    client_ca_file === undefined
      ? undefined
      : readPem('client_ca_file', client_ca_file, A_CERTIFICATE, certificateOf);
  const mistakes = [cert, key, ca].flatMap((read) => (read && 'message' in read ? [read] : []));
  mistakes.push(...ruleMistakes(settings));
  if (mistakes.length > 0 || 'message' in cert || 'message' in key) return mistakes;
  if (!cert.value.parsed.checkPrivateKey(key.value.parsed)) return [KEY_MISMATCH];
  const context = {
    ...contextOf(settings, cert.value.text, key.value.text),
    ...(ca && 'value' in ca ? { ca: ca.value.text } : {}),
  };
  createSecureContext(context);
  return { context, clientAuth: client_auth_type, clientSans: client_allowed_sans };
};

const A_CERTIFICATE = 'a certificate (PEM)';
const A_KEY = 'a private key without a passphrase (PEM)';
const KEY_MISMATCH: TlsMistake = { key: 'key_file', message: 'the key does not belong to the certificate' };

interface Pem<T> {
  readonly text: string;
  readonly parsed: T;
}

const certificateOf = (text: string): X509Certificate => new X509Certificate(text);

/** The mistakes quote nothing of the file's content. */
const readPem = <T extends X509Certificate | KeyObject>(
  key: TlsMistake['key'],
  file: string,
  expected: string,
  parse: (text: string) => T,
): Read<Pem<T>> => {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    return { key, message: `expected a readable file (${describeReadError(error)})` };
  }
  try {
    return { value: { text, parsed: parse(text) } };
  } catch {
    return { key, message: `expected a file that contains ${expected}` };
  }
};

const VERIFYING_TYPES: readonly ClientAuthType[] = ['VerifyClientCertIfGiven', 'RequireAndVerifyClientCert'];

const ruleMistakes = (settings: TlsSettings): TlsMistake[] => {
  const { client_auth_type: type, client_ca_file, client_allowed_sans, min_version, max_version } = settings;
  const isVerifying = VERIFYING_TYPES.includes(type);
  const rules: readonly (readonly [boolean, TlsMistake])[] = [
    [
      isVerifying && client_ca_file === undefined,
      {
        key: 'client_auth_type',
        message: `${type} needs a client_ca_file to verify the certificates of clients`,
      },
    ],
    [
      type === 'NoClientCert' && client_ca_file !== undefined,
      {
        key: 'client_ca_file',
        message: 'this has no effect without client_auth_type; set client_auth_type, or remove this key',
      },
    ],
    [
      type !== 'RequireAndVerifyClientCert' && client_allowed_sans.length > 0,
      { key: 'client_allowed_sans', message: 'needs client_auth_type: RequireAndVerifyClientCert' },
    ],
    [
      min_version > max_version,
      { key: 'max_version', message: `${max_version} is older than min_version (${min_version})` },
    ],
  ];
  return rules.flatMap(([isBroken, mistake]) => (isBroken ? [mistake] : []));
};

const contextOf = (settings: TlsSettings, cert: string, key: string): SecureContextOptions => ({
  cert,
  key,
  minVersion: VERSIONS[settings.min_version],
  maxVersion: VERSIONS[settings.max_version],
  honorCipherOrder: settings.prefer_server_cipher_suites,
  ...(settings.cipher_suites.length === 0 ? {} : { ciphers: cipherList(settings.cipher_suites) }),
  ...(settings.curve_preferences.length === 0 ? {} : { ecdhCurve: curveList(settings.curve_preferences) }),
});
