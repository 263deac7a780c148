// Decides which authorities are trusted to sign the certificates of clients.

import { X509Certificate } from 'node:crypto';
import { getCACertificates, type SecureContextOptions } from 'node:tls';
import type { Pem, TlsMistake } from './pem.ts';
import type { ClientAuthType, TlsSettings } from './schema.ts';

const VERIFYING_TYPES: readonly ClientAuthType[] = ['VerifyClientCertIfGiven', 'RequireAndVerifyClientCert'];

/** Without client_ca, other exporters trust the system's roots too. */
export const trustOf = (
  { client_auth_type }: TlsSettings,
  ca: Pem<unknown> | undefined,
): Pick<SecureContextOptions, 'ca'> => {
  if (ca) return { ca: ca.text };
  return VERIFYING_TYPES.includes(client_auth_type) ? { ca: getCACertificates('system') } : {};
};

const CERTIFICATES = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Node's server verifies up to a root only, whereas Go also trusts other certificates of client_ca. */
export const trustWarnings = (
  { client_auth_type }: TlsSettings,
  ca: Pem<unknown> | undefined,
): TlsMistake[] => {
  if (!ca || !VERIFYING_TYPES.includes(client_auth_type)) return [];
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
