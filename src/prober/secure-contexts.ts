// Creates the TLS settings of probes, once for each set of trusted certificates.

import { X509Certificate } from 'node:crypto';
import { createSecureContext, type SecureContext } from 'node:tls';
import { ProbeError } from './probe-error.ts';

/** Without the post-quantum key share, which takes 2,300 bytes of each handshake. Traffic costs money. */
const KEY_SHARES = 'X25519:P-256';
/** More sets of certificates than any configuration has. After a reload, the oldest set is dropped. */
const MAX_CONTEXTS = 50;

const contexts = new Map<string | undefined, SecureContext>();

/** Undefined trusts the usual certificates. */
export const secureContextOf = (ca: string | undefined): SecureContext => {
  const known = contexts.get(ca);
  if (known) return known;
  const [oldest] = contexts.keys();
  if (contexts.size >= MAX_CONTEXTS) contexts.delete(oldest);
  const context = createContext(ca);
  contexts.set(ca, context);
  return context;
};

const createContext = (ca: string | undefined): SecureContext => {
  if (ca === undefined) return createSecureContext({ ecdhCurve: KEY_SHARES });
  checkPem(ca);
  return createSecureContext({ ca, ecdhCurve: KEY_SHARES });
};

/** Node.js ignores text that is no certificate, and with an empty text it trusts the usual certificates. */
const checkPem = (ca: string): void => {
  try {
    new X509Certificate(ca);
  } catch {
    throw new ProbeError('local', 'the trusted certificates (PEM) could not be read');
  }
};
