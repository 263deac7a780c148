// Summarizes a certificate, and says in words why it is not trusted.

import type { PeerCertificate } from 'node:tls';
import type { ProbeCertificate } from './probe.ts';

const MAX_NAME_LENGTH = 200;

const WORDS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'has expired',
  CERT_NOT_YET_VALID: 'is not valid yet: check the clocks of both machines',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'comes from an authority that is not trusted here',
  UNABLE_TO_GET_ISSUER_CERT: 'comes from an authority that is not trusted here',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'comes from an authority that is not trusted here',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'comes from an authority that is not trusted here, or the server does not send its intermediate certificates',
  ERR_TLS_CERT_ALTNAME_INVALID: 'is for another name',
  CERT_REVOKED: 'is revoked',
};

/** Undefined if the other side sent no certificate. */
export const summarize = (certificate: PeerCertificate, isTrusted: boolean): ProbeCertificate | null => {
  const notAfter = Date.parse(certificate.valid_to ?? '');
  if (Number.isNaN(notAfter)) return null;
  const { subject, issuer } = certificate;
  return { subject: nameOf(subject), issuer: nameOf(issuer), notAfter, isTrusted };
};

/** `code` comes from OpenSSL or Node.js. */
export const distrustMessage = (whose: 'proxy' | 'target', code: string): string =>
  `the certificate of the ${whose} ${WORDS[code] ?? 'could not be verified'} (${code})`;

type Name = Partial<PeerCertificate['subject']>;

/** The common name, or else the organization. It is text of someone else. */
const nameOf = (name: Name | undefined): string => {
  const values = [name?.CN ?? name?.O ?? ''].flat();
  return values.join(', ').replaceAll(/\p{C}/gu, '?').slice(0, MAX_NAME_LENGTH);
};
