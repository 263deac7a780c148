// Begins TLS on the connection of a probe, and verifies the certificate of the proxy or the target.

import { isIP } from 'node:net';
import { checkServerIdentity, connect, type PeerCertificate, type TLSSocket } from 'node:tls';
import type { Attempt } from './attempt.ts';
import { distrustMessage, summarize } from './certificate.ts';
import type { ProbeCertificate } from './probe.ts';
import { ProbeError } from './probe-error.ts';
import { secureContextOf } from './secure-contexts.ts';
import { keepSession, resumptionOf } from './tls-sessions.ts';

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
