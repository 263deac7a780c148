// Starts a server with a web.yml that the test writes, and sends requests with certificates and passwords.

import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { type RequestOptions, request as requestHttps } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { TLSSocket } from 'node:tls';
import { createFolder } from '../config/support.ts';
import { startServer, type TestServer } from './support.ts';

export const CERTIFICATES = join(import.meta.dirname, '../fixtures/certificates');

export const pem = (name: string): string => readFileSync(join(CERTIFICATES, name), 'utf8');

export const PASSWORD = 'canary-password';
export const HASH = '$2b$04$HCOg4WgZNhv3Biz3Ubs1zuBBbCM3ZDeBS87O6rND7Ahs2RKPOKU.m';
export const OTHER_PASSWORD = 'canary-password-2';
export const OTHER_HASH = '$2b$04$Uu9MuDT4qBOBBraF5HAJ..ojooGGx57wLm0uF5aBIGtiEi5x4/Uvy';

export const TLS = { cert_file: 'server.pem', key_file: 'server.key' };

export interface WebServer extends TestServer {
  readonly folder: string;
  /** Replaces web.yml. */
  configure(config: unknown): void;
  /** Replaces a file beside web.yml with one of the certificates. */
  replaceFile(file: string, certificate: string): void;
}

/** Creates a folder with web.yml, and with the certificate that it may name as server.pem. */
export const createWebFolder = (text: string, certificate = 'server'): string =>
  createFolder({
    'server.pem': pem(`${certificate}.pem`),
    'server.key': pem(`${certificate}.key`),
    'ca.pem': pem('ca.pem'),
    'branch-ca.pem': pem('branch-ca.pem'),
    'web.yml': text,
  });

/** `config` is an object, or the text of web.yml. The certificates are in the same folder. */
export const startWebServer = async (
  config: unknown,
  certificate?: string,
  readers?: readonly string[],
  allowedHosts?: readonly string[],
): Promise<WebServer> => {
  const folder = createWebFolder('', certificate);
  const configure = (next: unknown): void =>
    writeFileSync(join(folder, 'web.yml'), typeof next === 'string' ? next : JSON.stringify(next));
  configure(config);
  const server = await startServer({}, undefined, join(folder, 'web.yml'), undefined, readers, allowedHosts);
  const replaceFile = (file: string, certificate: string): void =>
    copyFileSync(join(CERTIFICATES, certificate), join(folder, file));
  return {
    ...server,
    folder,
    configure,
    replaceFile,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
};

export interface Answer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
  /** The serial number of the server's certificate; undefined over plain HTTP. */
  readonly serial: string | undefined;
  /** The name of the cipher suite, and the version of TLS; undefined over plain HTTP. */
  readonly suite: string | undefined;
  readonly version: string | null | undefined;
  readonly isResumed: boolean | undefined;
}

/** Sends a GET over a new connection. Rejects if there is no answer. */
export const request = async (url: string, options: RequestOptions = {}): Promise<Answer> => {
  const send = url.startsWith('https:') ? requestHttps : requestHttp;
  const sent = send(url, { agent: false, ca: pem('ca.pem'), ...options }).end();
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    sent.once('response', resolve).once('error', reject);
  });
  const socket = response.socket as Partial<TLSSocket>;
  const { serialNumber: serial } = socket.getPeerX509Certificate?.() ?? {};
  const tls = {
    serial,
    suite: socket.getCipher?.().standardName,
    version: socket.getProtocol?.(),
    isResumed: socket.isSessionReused?.(),
  };
  const { statusCode: status, headers } = response;
  return { status, headers, ...tls, body: await text(response) };
};

/** Returns options that present one of the certificates. */
export const withCertificate = (name: string): RequestOptions => ({
  cert: pem(`${name}.pem`),
  key: pem(`${name}.key`),
});
