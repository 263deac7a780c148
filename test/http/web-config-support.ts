// A server by a web.yml that the test writes, and clients with certificates and passwords.

import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { type RequestOptions, request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { TLSSocket } from 'node:tls';
import { folderOf } from '../config/support.ts';
import { startServer, type TestServer } from './support.ts';

export const CERTIFICATES = join(import.meta.dirname, '../fixtures/certificates');

export const pem = (name: string): string => readFileSync(join(CERTIFICATES, name), 'utf8');

export const PASSWORD = 'canary-password';
/** Hashes of it. */
export const HASH = '$2b$04$HCOg4WgZNhv3Biz3Ubs1zuBBbCM3ZDeBS87O6rND7Ahs2RKPOKU.m';
export const SLOW_HASH = '$2b$09$SCUlfaC2j3i8fdjFOZWY2u.wm64AxbWuFWBAIh8Z9JiYly4xdUAD.';
export const OTHER_PASSWORD = 'canary-password-2';
export const OTHER_HASH = '$2b$04$Uu9MuDT4qBOBBraF5HAJ..ojooGGx57wLm0uF5aBIGtiEi5x4/Uvy';

export const TLS = { cert_file: 'server.pem', key_file: 'server.key' };

export interface WebServer extends TestServer {
  readonly folder: string;
  /** Replaces web.yml. */
  configure(config: unknown): void;
  /** Replaces a file beside it by one of the certificates. */
  put(file: string, certificate: string): void;
}

/** `config` is an object, or web.yml's text. The certificates lie beside it. */
export const startWebServer = async (config: unknown): Promise<WebServer> => {
  const names = ['server.pem', 'server.key', 'ca.pem'];
  const folder = folderOf(Object.fromEntries(names.map((name) => [name, pem(name)])));
  const configure = (next: unknown): void =>
    writeFileSync(join(folder, 'web.yml'), typeof next === 'string' ? next : JSON.stringify(next));
  configure(config);
  const server = await startServer({}, undefined, join(folder, 'web.yml'));
  const put = (file: string, certificate: string): void =>
    copyFileSync(join(CERTIFICATES, certificate), join(folder, file));
  return { ...server, folder, configure, put, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
};

export interface Answer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
  /** Serial number of the server's certificate; undefined over plain HTTP. */
  readonly serial: string | undefined;
}

/** Asks over a connection of its own. Rejects when there is no answer. */
export const ask = async (url: string, options: RequestOptions = {}): Promise<Answer> => {
  const send = url.startsWith('https:') ? request : requestHttp;
  const sent = send(url, { agent: false, ca: pem('ca.pem'), ...options }).end();
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    sent.once('response', resolve).once('error', reject);
  });
  const { serialNumber } = (response.socket as TLSSocket).getPeerX509Certificate?.() ?? {};
  const { statusCode: status, headers } = response;
  return { status, headers, serial: serialNumber, body: await text(response) };
};

/** Options that show one of the certificates. */
export const showing = (name: string): RequestOptions => ({
  cert: pem(`${name}.pem`),
  key: pem(`${name}.key`),
});
