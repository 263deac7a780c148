// Decides whether a client may connect, by comparing its certificate with the requirements of web.yml.

import type { TLSSocket } from 'node:tls';
import type { ServerTls } from './tls.ts';

export const requestsCertificate = ({ clientAuth }: ServerTls): boolean => clientAuth !== 'NoClientCert';

/** Whether the client may connect. `socket` has finished the handshake and verified the client's certificate, if any. */
export const mayConnect = (socket: TLSSocket, { clientAuth, clientSans }: ServerTls): boolean => {
  const certificate = socket.getPeerX509Certificate();
  switch (clientAuth) {
    case 'NoClientCert':
    case 'RequestClientCert':
      return true;
    case 'RequireAnyClientCert':
      return certificate !== undefined;
    case 'VerifyClientCertIfGiven':
      return certificate === undefined || socket.authorized;
    case 'RequireAndVerifyClientCert':
      return (
        certificate !== undefined &&
        socket.authorized &&
        hasAllowedName(certificate.subjectAltName, clientSans)
      );
  }
};

/** Node quotes names that could be confused with others. Such names never match an allowed one. */
const hasAllowedName = (subjectAltName: string | undefined, allowed: readonly string[]): boolean => {
  const names = (subjectAltName ?? '').split(', ').map((name) => name.replace(/^[^:"]*:/, ''));
  return allowed.length === 0 || names.some((name) => allowed.includes(name));
};
