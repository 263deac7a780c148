// Resumes TLS sessions with targets, and remembers the certificate of each session.

import type { ProbeCertificate, ProbeRequest } from './probe.ts';

/** A resumed handshake sends no certificate, so that of the first handshake is kept with the session. */
const certificates = new WeakMap<Buffer, ProbeCertificate>();

export interface Resumption {
  readonly session: Buffer;
  readonly certificate: ProbeCertificate;
}

/** Returns nothing for a session whose certificate has expired: a full handshake then shows the new one. */
export const resumptionOf = ({ sessions }: ProbeRequest): Resumption | undefined => {
  const session = sessions?.cache.get(sessions.key);
  const certificate = session && certificates.get(session);
  return certificate && certificate.notAfter > Date.now() ? { session, certificate } : undefined;
};

/** Keeps a session if its certificate is trusted, because a resumed handshake is not verified again. */
export const keepSession = (
  { sessions }: ProbeRequest,
  session: Buffer,
  certificate: ProbeCertificate | null,
): void => {
  if (!sessions || !certificate?.isTrusted) return;
  certificates.set(session, certificate);
  sessions.cache.set(sessions.key, session);
};
