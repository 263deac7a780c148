// Begins TLS on the connection of a probe, and verifies the certificate of the proxy or the target.

import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import {
  checkServerIdentity,
  connect,
  createSecureContext,
  type PeerCertificate,
  type SecureContext,
  type TLSSocket,
} from 'node:tls';
import type { Attempt } from './attempt.ts';
import { type ProbeCertificate, ProbeError, type ProbeRequest } from './probe.ts';

interface Handshake {
  readonly host: string;
  readonly ca: string | undefined;
  readonly session?: Buffer | undefined;
}

interface Secured {
  readonly socket: TLSSocket;
  /** Null if a session was resumed, or if the other side has no certificate. */
  readonly certificate: ProbeCertificate | null;
  /** The code of the reason; null if the certificate is trusted and has the name. */
  readonly distrust: string | null;
}

/** TLS with the proxy, in the phase `connect`. */
export const secureProxy = async (attempt: Attempt, host: string, ca: string | undefined): Promise<void> => {
  const secured = await secure(attempt, { host, ca });
  attempt.trace('*', () => describe('proxy', secured.socket, secured.certificate));
  if (secured.distrust !== null)
    throw new ProbeError('certificate', distrustMessage('proxy', secured.distrust));
};

/** TLS with the target. The certificate is kept also if it is not trusted. */
export const secureTarget = async (attempt: Attempt, host: string): Promise<void> => {
  const { request, findings } = attempt;
  const resumption = resumptionOf(request);
  const handshake = { host, ca: request.target.ca, session: resumption?.session };
  const { socket, certificate, distrust } = await secure(attempt, handshake, (session) =>
    keepSession(request, session, findings.certificate),
  );
  findings.isResumed = socket.isSessionReused();
  findings.certificate = findings.isResumed ? (resumption?.certificate ?? null) : certificate;
  attempt.trace('*', () => describe('target', socket, findings.certificate));
  if (distrust !== null) throw new ProbeError('certificate', distrustMessage('target', distrust));
};

const secure = async (
  { connection }: Attempt,
  { host, ca, session }: Handshake,
  onSession?: (session: Buffer) => void,
): Promise<Secured> => {
  let seen: PeerCertificate | undefined;
  const socket = connect({
    ...{ socket: connection.carrier, host, secureContext: secureContextOf(ca) },
    // An address has no server name (RFC 6066).
    servername: isIP(host) === 0 ? host : '',
    // The probe checks the result itself, so that it can also report a certificate that is not trusted.
    rejectUnauthorized: false,
    ...(session ? { session } : {}),
    checkServerIdentity: (_name, certificate) => {
      // Reading the certificate is expensive, and Node.js has just done it.
      seen = certificate;
      return checkServerIdentity(host, certificate);
    },
  });
  if (onSession) keepLater(socket, onSession);
  await connection.wait<void>((done) => {
    connection.use(socket);
    socket.once('secureConnect', done);
  });
  const distrust = distrustOf(socket);
  return { socket, certificate: summarize(seen ?? socket.getPeerCertificate(), distrust === null), distrust };
};

/** With TLS 1.2, the session comes before the probe continues and knows the certificate. */
const keepLater = (socket: TLSSocket, onSession: (session: Buffer) => void): void => {
  socket.on('session', (session) => setImmediate(onSession, session));
};

const distrustOf = (socket: TLSSocket): string | null => {
  if (socket.authorized) return null;
  const error: unknown = socket.authorizationError;
  const code = error instanceof Error && 'code' in error ? error.code : error;
  return typeof code === 'string' && /^[A-Z\d_]{1,80}$/.test(code) ? code : 'UNKNOWN';
};

const describe = (whose: string, socket: TLSSocket, certificate: ProbeCertificate | null): string[] => [
  `${socket.getProtocol()} with the ${whose}${socket.isSessionReused() ? ', resumed' : ''}`,
  ...(certificate
    ? [
        `certificate: ${certificate.subject}, issued by ${certificate.issuer}, valid until ${new Date(certificate.notAfter).toISOString()}`,
      ]
    : ['no certificate was received']),
];

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
const summarize = (certificate: PeerCertificate, isTrusted: boolean): ProbeCertificate | null => {
  const notAfter = Date.parse(certificate.valid_to ?? '');
  if (Number.isNaN(notAfter)) return null;
  const { subject, issuer } = certificate;
  return { subject: nameOf(subject), issuer: nameOf(issuer), notAfter, isTrusted };
};

/** `code` comes from OpenSSL or Node.js. */
const distrustMessage = (whose: 'proxy' | 'target', code: string): string =>
  `the certificate of the ${whose} ${WORDS[code] ?? 'could not be verified'} (${code})`;

type Name = Partial<PeerCertificate['subject']>;

/** The common name, or else the organization. It is text of someone else. */
const nameOf = (name: Name | undefined): string => {
  const values = [name?.CN ?? name?.O ?? ''].flat();
  return values.join(', ').replaceAll(/\p{C}/gu, '?').slice(0, MAX_NAME_LENGTH);
};

/** Without the post-quantum key share, which takes 2,300 bytes of each handshake. Traffic costs money. */
const KEY_SHARES = 'X25519:P-256';
/** More sets of certificates than any configuration has. After a reload, the oldest set is dropped. */
const MAX_CONTEXTS = 50;

const contexts = new Map<string | undefined, SecureContext>();

/** Creates the settings once for each set of trusted certificates. Undefined trusts the usual ones. */
const secureContextOf = (ca: string | undefined): SecureContext => {
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

/** A resumed handshake sends no certificate, so that of the first handshake is kept with the session. */
const certificates = new WeakMap<Buffer, ProbeCertificate>();

interface Resumption {
  readonly session: Buffer;
  readonly certificate: ProbeCertificate;
}

/** Returns nothing for a session whose certificate has expired: a full handshake then shows the new one. */
const resumptionOf = ({ sessions }: ProbeRequest): Resumption | undefined => {
  const session = sessions?.cache.get(sessions.key);
  const certificate = session && certificates.get(session);
  return certificate && certificate.notAfter > Date.now() ? { session, certificate } : undefined;
};

/** Keeps a session if its certificate is trusted, because a resumed handshake is not verified again. */
const keepSession = (
  { sessions }: ProbeRequest,
  session: Buffer,
  certificate: ProbeCertificate | null,
): void => {
  if (!sessions || !certificate?.isTrusted) return;
  certificates.set(session, certificate);
  sessions.cache.set(sessions.key, session);
};
