// Who may connect: the client's certificate, held against what web.yml asks for.

import type { TLSSocket } from 'node:tls';
import type { ServerTls } from './tls.ts';

export const asksForCertificate = ({ clientAuth }: ServerTls): boolean => clientAuth !== 'NoClientCert';

/** `socket` has shaken hands, and verified what certificate it was shown. */
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
        certificate !== undefined && socket.authorized && hasOneOf(certificate.subjectAltName, clientSans)
      );
  }
};

/** Node writes names that could be mistaken for others in quotes: they are none of those asked for. */
const hasOneOf = (subjectAltName: string | undefined, asked: readonly string[]): boolean => {
  const names = (subjectAltName ?? '').split(', ').map((name) => name.replace(/^[^:"]*:/, ''));
  return asked.length === 0 || names.some((name) => asked.includes(name));
};
