// Reads the server's certificate, key and TLS settings of web.yml, and the certificates of the clients' authorities.

import { createSecureContext, DEFAULT_CIPHERS, type SecureContextOptions } from 'node:tls';
import { isMistake, readCertificate, readKey, type TlsMistake } from './pem.ts';
import type { ClientAuthType, TlsSettings } from './schema.ts';
import { cipherList, curveList, isObsolete, VERSIONS } from './tls-names.ts';
import { trustOf, trustWarnings } from './trusted-authorities.ts';

export interface ServerTls {
  readonly context: SecureContextOptions;
  readonly clientAuth: ClientAuthType;
  /** A client's certificate must have one of these names; undefined allows any. */
  readonly clientSans: readonly string[] | undefined;
  readonly warnings: readonly TlsMistake[];
}

/** Whether web.yml turns on TLS. Other exporters serve plain HTTP unless one of these keys is set. */
export const isTlsOn = ({ client_auth_type, ...settings }: TlsSettings): boolean =>
  client_auth_type !== 'NoClientCert' ||
  [settings.cert, settings.cert_file, settings.key, settings.key_file].some((set) => set !== undefined) ||
  isCaSet(settings);

export const isCaSet = ({ client_ca, client_ca_file }: Pick<TlsSettings, 'client_ca' | 'client_ca_file'>) =>
  client_ca !== undefined || client_ca_file !== undefined;

/** Returns the files whose changes change the configuration. */
export const tlsFilesOf = ({ cert_file, key_file, client_ca_file }: TlsSettings): string[] =>
  [cert_file, key_file, client_ca_file].flatMap((file) => file ?? []);

export const readTls = (settings: TlsSettings): ServerTls | readonly TlsMistake[] => {
  const cert = readCertificate(settings, 'cert') ?? missing('cert');
  const key = readKey(settings, 'key') ?? missing('key');
  const ca = readCertificate(settings, 'client_ca');
  if (isMistake(cert) || isMistake(key) || isMistake(ca)) return [cert, key, ca].filter(isMistake);
  if (!cert.parsed.checkPrivateKey(key.parsed)) {
    return [{ key: key.key, message: 'the key does not belong to the certificate' }];
  }
  const own = { ...contextOf(settings), cert: cert.text, key: key.text };
  const rejection = rejectionOf(ca ? { ...own, ca: ca.text } : own);
  if (rejection !== undefined) return [{ key: cert.key, message: rejection }];
  const context = { ...own, ...trustOf(settings, ca) };
  const { client_auth_type: clientAuth, client_allowed_sans: clientSans } = settings;
  return { context, clientAuth, clientSans, warnings: trustWarnings(settings, ca) };
};

const missing = (name: 'cert' | 'key'): TlsMistake => ({
  key: name,
  message: `missing; set ${name} or ${name}_file`,
});

/** Returns why OpenSSL rejects the settings, such as a key that is too small. */
const rejectionOf = (context: SecureContextOptions): string | undefined => {
  try {
    createSecureContext(context);
    return undefined;
  } catch (error) {
    const reason = error instanceof Error && 'reason' in error ? error.reason : 'unknown reason';
    return `OpenSSL rejects the certificate or another TLS setting (${reason})`;
  }
};

const contextOf = (settings: TlsSettings): SecureContextOptions => ({
  minVersion: VERSIONS[settings.min_version],
  maxVersion: VERSIONS[settings.max_version],
  honorCipherOrder: settings.prefer_server_cipher_suites,
  ciphers: ciphersOf(settings),
  ...(settings.curve_preferences.length === 0 ? {} : { ecdhCurve: curveList(settings.curve_preferences) }),
});

const ciphersOf = ({ cipher_suites, min_version }: TlsSettings): string => {
  const list = cipher_suites.length === 0 ? DEFAULT_CIPHERS : cipherList(cipher_suites);
  return isObsolete(min_version) ? `${list}:@SECLEVEL=0` : list;
};
