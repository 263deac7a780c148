// Begins TLS on the connection of a probe, and verifies the certificate of the proxy or the target.

import { isIP } from 'node:net';
import { checkServerIdentity, connect, type PeerCertificate, type TLSSocket } from 'node:tls';
import type { Attempt } from './attempt.ts';
import { distrustMessage, summarize } from './certificate.ts';
import type { Connection } from './connection.ts';
import type { ProbeCertificate } from './probe.ts';
import { ProbeError } from './probe-error.ts';
import { secureContextOf } from './secure-contexts.ts';

interface Handshake {
  readonly host: string;
  readonly ca: string | undefined;
  /** A session to resume. */
  readonly session?: Buffer | undefined;
  readonly onSession?: ((session: Buffer) => void) | undefined;
}

interface Secured {
  readonly certificate: ProbeCertificate | null;
  /** The code of the reason; null if the certificate is trusted and has the name. */
  readonly distrust: string | null;
  readonly isResumed: boolean;
  readonly protocol: string;
}

/** TLS with the proxy, in the phase `connect`. */
export const secureProxy = async (attempt: Attempt, host: string, ca: string | undefined): Promise<void> => {
  const secured = await secure(attempt.connection, { host, ca });
  attempt.trace('*', () => [describe('proxy', secured)]);
  const { distrust } = secured;
  if (distrust !== null) throw new ProbeError('certificate', distrustMessage('proxy', distrust));
};

/** TLS with the target. The certificate is kept also if it is not trusted. */
export const secureTarget = async (attempt: Attempt, host: string): Promise<void> => {
  const { sessions, target } = attempt.request;
  const secured = await secure(attempt.connection, {
    ...{ host, ca: target.ca },
    session: sessions?.cache.get(sessions.key),
    onSession: sessions && ((session) => sessions.cache.set(sessions.key, session)),
  });
  attempt.findings.certificate = secured.certificate;
  attempt.findings.isResumed = secured.isResumed;
  attempt.trace('*', () => [describe('target', secured)]);
  const { distrust } = secured;
  if (distrust !== null) throw new ProbeError('certificate', distrustMessage('target', distrust));
};

const secure = async (connection: Connection, handshake: Handshake): Promise<Secured> => {
  let seen: PeerCertificate | undefined;
  const socket = connect({
    ...{ socket: connection.stream, host: handshake.host },
    // An address has no server name (RFC 6066).
    servername: isIP(handshake.host) === 0 ? handshake.host : '',
    secureContext: secureContextOf(handshake.ca),
    // The probe checks the result itself, so that it can also report a certificate that is not trusted.
    rejectUnauthorized: false,
    ...(handshake.session ? { session: handshake.session } : {}),
    checkServerIdentity: (_name, certificate) => {
      // Reading the certificate is expensive, and Node.js has just done it.
      seen = certificate;
      return checkServerIdentity(handshake.host, certificate);
    },
  });
  socket.on('session', (session) => {
    if (socket.authorized) handshake.onSession?.(session);
  });
  await connection.wait<void>((done) => {
    connection.use(socket);
    socket.once('secureConnect', done);
  });
  const certificate = seen ?? socket.getPeerCertificate();
  return verified(socket, certificate);
};

const verified = (socket: TLSSocket, certificate: PeerCertificate): Secured => {
  const isResumed = socket.isSessionReused();
  const distrust = distrustOf(socket, certificate, isResumed);
  return {
    certificate: summarize(certificate, distrust === null),
    ...{ distrust, isResumed, protocol: socket.getProtocol() ?? 'TLS' },
  };
};

/** A resumed session repeats the result of the first handshake, so only the expiry can have changed. */
const distrustOf = (socket: TLSSocket, certificate: PeerCertificate, isResumed: boolean): string | null => {
  if (isResumed && Date.parse(certificate.valid_to) < Date.now()) return 'CERT_HAS_EXPIRED';
  if (socket.authorized) return null;
  const error: unknown = socket.authorizationError;
  const code = error instanceof Error && 'code' in error ? error.code : error;
  return typeof code === 'string' && /^[A-Z\d_]{1,80}$/.test(code) ? code : 'UNKNOWN';
};

const describe = (whose: string, { protocol, isResumed, certificate }: Secured): string =>
  [
    `${protocol} with the ${whose}${isResumed ? ', resumed' : ''}`,
    certificate &&
      `certificate ${certificate.subject}, issued by ${certificate.issuer}, valid until ${new Date(certificate.notAfter).toISOString()}`,
  ]
    .filter((part) => part)
    .join('; ');
