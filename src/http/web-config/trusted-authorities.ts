// Decides which authorities are trusted to sign the certificates of clients.

import { X509Certificate } from 'node:crypto';
import { getCACertificates, type SecureContextOptions } from 'node:tls';
import type { Pem, TlsMistake } from './pem.ts';
import type { ClientAuthType, TlsSettings } from './schema.ts';

const VERIFYING_TYPES: readonly ClientAuthType[] = ['VerifyClientCertIfGiven', 'RequireAndVerifyClientCert'];

/** Whether the server verifies certificates of clients. */
export const isVerifying = ({ client_auth_type }: Pick<TlsSettings, 'client_auth_type'>): boolean =>
  VERIFYING_TYPES.includes(client_auth_type);

/** Without client_ca, other exporters trust the system's roots too. */
export const trustOf = (
  settings: TlsSettings,
  ca: Pem<unknown> | undefined,
): Pick<SecureContextOptions, 'ca'> => {
  if (ca) return { ca: ca.text };
  return isVerifying(settings) ? { ca: getCACertificates('system') } : {};
};

const CERTIFICATES = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Node's server verifies up to a root only, whereas Go also trusts other certificates of client_ca. */
export const trustWarnings = (settings: TlsSettings, ca: Pem<unknown> | undefined): TlsMistake[] => {
  if (!ca || !isVerifying(settings)) return [];
  if ([...ca.text.matchAll(CERTIFICATES)].some(([text]) => isRoot(text))) return [];
  return [
    {
      key: ca.key,
      message: 'none of these certificates is of a root, so no client is verified; add the root',
    },
  ];
};

const isRoot = (text: string): boolean => {
  try {
    const certificate = new X509Certificate(text);
    return certificate.checkIssued(certificate);
  } catch {
    return false;
  }
};
