// Serves the simulated target, which customers reach through the simulated proxies: HTTP and HTTPS on 127.0.0.1.

import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { Socket } from 'node:net';
import { createSecureContext, type SecureContext } from 'node:tls';
import { DAY, HOUR } from '../../lib/time.ts';
import { CertificateAuthority } from './certificates.ts';
import type { Exit, ExitRegistry } from './gateway.ts';
import { portOf } from './listener.ts';
import { faultOfKind, type ProxyFault, type ProxyFaults } from './proxy-faults.ts';
import { answerTarget, type TargetPorts } from './target.ts';

export interface TargetOptions {
  readonly authority: CertificateAuthority;
  readonly period: { readonly notBefore: number; readonly notAfter: number };
  readonly faults: ProxyFaults;
  readonly exits: ExitRegistry;
  readonly now: () => number;
}

/** The names of the target for clients that reach it without a proxy. */
const OWN_NAMES = ['localhost', '127.0.0.1', '::1'];
const HOST = '127.0.0.1';
const MAX_CONTEXTS = 1_000;

export class TargetServer implements AsyncDisposable {
  readonly ports: TargetPorts;
  readonly #servers: readonly Server[];
  /** Also those that have not finished TLS, which the servers do not close. */
  readonly #connections = new Set<Socket>();

  private constructor(servers: readonly [Server, Server]) {
    this.#servers = servers;
    for (const server of servers) server.on('connection', (socket) => this.#keep(socket));
    this.ports = { http: portOf(servers[0]), https: portOf(servers[1]) };
  }

  static async start(options: TargetOptions): Promise<TargetServer> {
    const listener = targetListener(options);
    const certificate = options.authority.issue(OWN_NAMES, options.period);
    const contextOf = contextsByName(options);
    const secure = createSecureServer(
      { ...certificate, SNICallback: (name, done) => done(null, contextOf(name)) },
      listener,
    );
    const servers = [createServer(listener), secure] as const;
    for (const server of servers) {
      server.on('clientError', (_, socket) => socket.destroy());
      server.listen(0, HOST);
    }
    await Promise.all(servers.map((server) => once(server, 'listening')));
    return new TargetServer([...servers]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = this.#servers.map((server) => once(server, 'close'));
    for (const server of this.#servers) server.close();
    for (const socket of this.#connections) socket.destroy();
    await Promise.all(closed);
  }

  #keep(socket: Socket): void {
    this.#connections.add(socket);
    socket.once('close', () => this.#connections.delete(socket));
  }
}

const targetListener =
  ({ exits, faults, now }: TargetOptions): RequestListener =>
  (request, response) => {
    const exit = exits.of(request.socket);
    const host = (request.headers.host ?? '').replace(/:\d+$/, '').toLowerCase();
    const fault = targetFault(faults.active([], host, now()), exit);
    if (fault === 'silent') return;
    if (fault === 'close') request.socket.destroy();
    else answerTarget(request, response, exit, fault);
  };

const targetFault = (faults: readonly ProxyFault[], exit: Exit | undefined) => {
  const fault = faultOfKind(faults, 'target');
  return fault && (exit || fault.through === 'all') ? fault.answer : undefined;
};

/** Returns a function that gives the certificate of a host name: one for each, because clients do not accept `*.example`. */
const contextsByName = ({ authority, period, faults, now }: TargetOptions) => {
  const stranger = new CertificateAuthority('Unknown authority', period);
  const past = { notBefore: period.notBefore - 30 * DAY, notAfter: period.notBefore - HOUR };
  const issue = {
    valid: (name: string) => authority.issue([name], period),
    expired: (name: string) => authority.issue([name], past),
    untrusted: (name: string) => stranger.issue([name], period),
    wrong_name: () => authority.issue(['other.example'], period),
  };
  const contexts = new Map<string, SecureContext>();
  return (name: string): SecureContext => {
    const state = faultOfKind(faults.active([], name, now()), 'certificate')?.state ?? 'valid';
    const key = `${state} ${name}`;
    const context = contexts.get(key) ?? createSecureContext(issue[state](name));
    if (contexts.size >= MAX_CONTEXTS) contexts.clear();
    contexts.set(key, context);
    return context;
  };
};
