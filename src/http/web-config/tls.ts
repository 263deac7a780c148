// Reads the server's certificate, key and TLS settings of web.yml, and the certificates of the clients' authorities.

import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext, DEFAULT_CIPHERS, getCACertificates, type SecureContextOptions } from 'node:tls';
import { describeReadError } from '../../config/files.ts';
import { type Finding, isCaSet, isObsolete, isVerifying, tlsFinding } from './findings.ts';
import { type ClientAuthType, SUITES, TLS13_SUITES, type TlsSettings } from './schema.ts';

export interface ServerTls {
  readonly context: SecureContextOptions;
  readonly clientAuth: ClientAuthType;
  /** A client's certificate must have one of these names; undefined allows any. */
  readonly clientSans: readonly string[] | undefined;
  readonly warnings: readonly Finding[];
}

/** Whether web.yml turns on TLS. Other exporters serve plain HTTP unless one of these keys is set. */
export const isTlsOn = ({ client_auth_type, ...settings }: TlsSettings): boolean =>
  client_auth_type !== 'NoClientCert' ||
  [settings.cert, settings.cert_file, settings.key, settings.key_file].some((set) => set !== undefined) ||
  isCaSet(settings);

/** Returns the files whose changes change the configuration. */
export const tlsFilesOf = ({ cert_file, key_file, client_ca_file }: TlsSettings): string[] =>
  [cert_file, key_file, client_ca_file].flatMap((file) => file ?? []);

/** Adds every mistake to `mistakes`, without any content of certificates and keys. Returns undefined if there is one. */
export const readTls = (settings: TlsSettings, mistakes: Finding[]): ServerTls | undefined => {
  const cert = readPem(settings, 'cert', CERTIFICATE, mistakes);
  const key = readPem(settings, 'key', PRIVATE_KEY, mistakes);
  const ca = readPem(settings, 'client_ca', CERTIFICATE, mistakes);
  for (const name of ['cert', 'key'] as const)
    if (settings[name] === undefined && settings[`${name}_file`] === undefined)
      mistakes.push(tlsFinding(name, `missing; set ${name} or ${name}_file`));
  if (mistakes.length > 0 || !cert || !key) return undefined;
  const own = { ...contextOf(settings), cert: cert.text, key: key.text };
  if (!cert.parsed.checkPrivateKey(key.parsed))
    mistakes.push(tlsFinding(key.key, 'the key does not belong to the certificate'));
  else mistakes.push(...rejectionOf(cert.key, ca ? { ...own, ca: ca.text } : own));
  if (mistakes.length > 0) return undefined;
  const { client_auth_type: clientAuth, client_allowed_sans: clientSans } = settings;
  const isTrusting = ca === undefined || !isVerifying(settings) || hasRoot(ca.text);
  return {
    context: { ...own, ...trustOf(settings, ca?.text) },
    ...{ clientAuth, clientSans },
    warnings: isTrusting ? [] : [tlsFinding(ca.key, WITHOUT_ROOT)],
  };
};

/** What a text in PEM must contain. */
interface Content<T> {
  readonly name: string;
  readonly parse: (text: string) => T;
}

const CERTIFICATE: Content<X509Certificate> = {
  name: 'a certificate (PEM)',
  parse: (text) => new X509Certificate(text),
};
const PRIVATE_KEY = { name: 'a private key without a passphrase (PEM)', parse: createPrivateKey };

interface Pem<T> {
  /** The key of tls_server_config that it comes from. */
  readonly key: keyof TlsSettings;
  readonly text: string;
  readonly parsed: T;
}

/** The file takes precedence, as in other exporters. Returns undefined if neither is set, or after a mistake. */
const readPem = <T>(
  settings: TlsSettings,
  name: 'cert' | 'key' | 'client_ca',
  content: Content<T>,
  mistakes: Finding[],
): Pem<T> | undefined => {
  const file = settings[`${name}_file`];
  const key = file === undefined ? name : (`${name}_file` as const);
  let expected = 'a readable file';
  try {
    const text = file === undefined ? settings[name]?.reveal() : readFileSync(file, 'utf8');
    if (text === undefined) return undefined;
    expected = file === undefined ? content.name : `a file that contains ${content.name}`;
    return { key, text, parsed: content.parse(text) };
  } catch (error) {
    const reason = expected === 'a readable file' ? ` (${describeReadError(error)})` : '';
    mistakes.push(tlsFinding(key, `expected ${expected}${reason}`));
    return undefined;
  }
};

/** Returns why OpenSSL rejects the settings, such as a key that is too small. */
const rejectionOf = (key: keyof TlsSettings, context: SecureContextOptions): Finding[] => {
  try {
    createSecureContext(context);
    return [];
  } catch (error) {
    const reason = error instanceof Error && 'reason' in error ? error.reason : 'unknown reason';
    return [tlsFinding(key, `OpenSSL rejects the certificate or another TLS setting (${reason})`)];
  }
};

const contextOf = (settings: TlsSettings): SecureContextOptions => ({
  minVersion: VERSIONS[settings.min_version],
  maxVersion: VERSIONS[settings.max_version],
  honorCipherOrder: settings.prefer_server_cipher_suites,
  ciphers: ciphersOf(settings),
  ...(settings.curve_preferences.length > 0 && {
    // OpenSSL calls CurveP256 P-256, and X25519 as Go does.
    ecdhCurve: settings.curve_preferences.map((name) => name.replace('CurveP', 'P-')).join(':'),
  }),
});

const VERSIONS = { TLS10: 'TLSv1', TLS11: 'TLSv1.1', TLS12: 'TLSv1.2', TLS13: 'TLSv1.3' } as const;

/** OpenSSL accepts the versions before 1.2 only at security level 0. */
const ciphersOf = ({ cipher_suites, min_version }: TlsSettings): string => {
  const list =
    cipher_suites.length === 0
      ? DEFAULT_CIPHERS
      : [...TLS13_SUITES, ...cipher_suites.flatMap((name) => SUITES[name] ?? [])].join(':');
  return isObsolete(min_version) ? `${list}:@SECLEVEL=0` : list;
};

/** Without client_ca, other exporters trust the system's roots too. */
const trustOf = (settings: TlsSettings, ca: string | undefined): Pick<SecureContextOptions, 'ca'> => {
  if (ca !== undefined) return { ca };
  return isVerifying(settings) ? { ca: getCACertificates('system') } : {};
};

const CERTIFICATES = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Node's server verifies up to a root only, whereas Go also trusts other certificates of client_ca. */
const WITHOUT_ROOT = 'none of these certificates is of a root, so no client is verified; add the root';

const hasRoot = (certificates: string): boolean =>
  [...certificates.matchAll(CERTIFICATES)].some(([text]) => {
    try {
      const certificate = new X509Certificate(text);
      return certificate.checkIssued(certificate);
    } catch {
      return false;
    }
  });
