// Decides whether a client may connect, by comparing its certificate with the requirements of web.yml.

import type { X509Certificate } from 'node:crypto';
import { isIPv6 } from 'node:net';
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
      return certificate !== undefined && hasAllowedName(certificate, clientSans);
    case 'VerifyClientCertIfGiven':
      return certificate === undefined || socket.authorized;
    case 'RequireAndVerifyClientCert':
      return certificate !== undefined && socket.authorized && hasAllowedName(certificate, clientSans);
  }
};

const hasAllowedName = (
  { subjectAltName }: X509Certificate,
  allowed: readonly string[] | undefined,
): boolean => allowed === undefined || namesIn(subjectAltName).some((name) => allowed.includes(name));

const KINDS = ['DNS', 'IP Address', 'URI', 'email'];

const NAME = /([A-Za-z ]+):("(?:[^"\\]|\\.)*"|[^,"]*)(?:, |$)/gy;

/** Node quotes names with unusual characters as JSON, so that no name can be taken for several. */
const namesIn = (subjectAltName = ''): string[] =>
  [...subjectAltName.matchAll(NAME)].flatMap(([, kind = '', name = '']) => {
    if (!KINDS.includes(kind)) return [];
    const text: string = name.startsWith('"') ? JSON.parse(name) : name;
    return kind === 'IP Address' ? shortForm(text) : text;
  });

/** Returns an IPv6 address as Go writes it, such as 2001:db8::7. */
const shortForm = (address: string): string =>
  isIPv6(address) ? new URL(`http://[${address}]/`).hostname.slice(1, -1) : address;
