// Starts a real SMTP server on loopback for tests, which keeps the messages that it accepts.

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

const CERTIFICATES = join(import.meta.dirname, '../fixtures/certificates');
export const CA_FILE = join(CERTIFICATES, 'ca.pem');
export const OTHER_CA_FILE = join(CERTIFICATES, 'other-ca.pem');

export const MAIL_USER = 'alerts@example.com';
export const MAIL_PASSWORD = 'canary/p@ss w%rd';

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly isEncrypted: boolean;
  readonly user: string | undefined;
  readonly message: string;
}

export interface MailServerOptions {
  /** Whether connections begin with TLS. */
  readonly isSmtps?: boolean;
  readonly offersStartTls?: boolean;
  /** The response to the content of a message: 250 accepts it. */
  readonly response?: number;
  /** Recipients that the server does not accept. */
  readonly unknown?: readonly string[];
  /** Whether the server never answers. */
  readonly isSilent?: boolean;
}

export class MailServer implements AsyncDisposable {
  readonly received: ReceivedMail[] = [];
  /** All passwords that clients sent, whether they were right or not. */
  readonly passwords: string[] = [];
  options: MailServerOptions;
  readonly #server: SMTPServer;
  readonly #connected = Promise.withResolvers<void>();

  private constructor(options: MailServerOptions) {
    this.options = options;
    this.#server = new SMTPServer(this.#serverOptions());
    // A client that does not trust the certificate ends the connection.
    this.#server.on('error', () => {});
  }

  static async start(options: MailServerOptions = {}): Promise<MailServer> {
    const server = new MailServer(options);
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server.server, 'listening');
    return server;
  }

  get port(): number {
    return (this.#server.server.address() as AddressInfo).port;
  }

  /** The setting smtp_url for this server. */
  url({ host = '127.0.0.1', password = MAIL_PASSWORD, user = MAIL_USER } = {}): string {
    const credentials = `${encodeURIComponent(user)}:${encodeURIComponent(password)}`;
    const scheme = this.options.isSmtps ? 'smtps' : 'smtp';
    return `${scheme}://${user === '' ? '' : `${credentials}@`}${host}:${this.port}`;
  }

  /** Resolves when a client has connected. */
  connected(): Promise<void> {
    return this.#connected.promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await new Promise<void>((resolve) => void this.#server.close(() => resolve()));
  }

  #serverOptions(): SMTPServerOptions {
    const { isSmtps = false, offersStartTls = true, isSilent = false } = this.options;
    const pem = (name: string): Buffer => readFileSync(join(CERTIFICATES, name));
    return {
      ...{ secure: isSmtps, key: pem('server.key'), cert: pem('server.pem') },
      ...{ authOptional: true, allowInsecureAuth: true, closeTimeout: 10, disableReverseLookup: true },
      disabledCommands: offersStartTls ? [] : ['STARTTLS'],
      onConnect: (_session, done) => {
        this.#connected.resolve();
        if (!isSilent) done();
      },
      onAuth: ({ username, password }, _session, done) => {
        this.passwords.push(password ?? '');
        if (username === MAIL_USER && password === MAIL_PASSWORD) done(null, { user: username });
        else done(new Error(`wrong password ${password} of ${username}`));
      },
      onRcptTo: ({ address }, _session, done) => {
        const isUnknown = this.options.unknown?.includes(address) ?? false;
        done(isUnknown ? errorWith(550) : undefined);
      },
      onData: async (stream, { envelope, secure, user }, done) => {
        const message = await text(stream);
        const { response = 250 } = this.options;
        if (response !== 250) return done(errorWith(response));
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
        const to = envelope.rcptTo.map(({ address }) => address);
        this.received.push({ from, to, isEncrypted: secure, user: user as string | undefined, message });
        done();
      },
    };
  }
}

const errorWith = (responseCode: number): Error =>
  Object.assign(new Error('the server does not accept this'), { responseCode });
