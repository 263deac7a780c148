// Sends notifications by email, with nodemailer. Its modules are loaded when the first email is sent.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { SendMailOptions } from 'nodemailer';
import { connectionErrorText, quotedAnswer } from '../../lib/http-answer.ts';
import { SECOND } from '../../lib/time.ts';
import type { EmailOptions } from './email-options.ts';
import type { Delivery, OutgoingNotification, Transport, TransportContext } from './receiver.ts';
import { titleOf } from './templates/parts.ts';
import { plainFormat, textOf } from './templates/text.ts';

/** Mail servers often delay their greeting on purpose. */
const TIMEOUT_MS = 60 * SECOND;
const FORMAT = plainFormat(20_000);

/** An import would also load the second HTTP client of Node.js (http/error-responses.ts), because nodemailer imports node:http. */
const require = createRequire(import.meta.url);

export const createEmailTransport = (
  options: EmailOptions & { readonly name: string },
  context: TransportContext,
): Transport => {
  const closed = new AbortController();
  return {
    send: async (notification) => {
      using deadline = context.clock.deadline(TIMEOUT_MS);
      try {
        const { createTransport } = require('nodemailer') as typeof import('nodemailer');
        const signal = AbortSignal.any([closed.signal, deadline.signal]);
        const sent = await createTransport(connectionOf(options)).sendMail({
          ...emailOf(notification, options, context),
          signal,
        });
        return acceptedBy(sent.accepted.length, sent.rejected.length, context);
      } catch (error) {
        if (closed.signal.aborted) return undefined;
        return deadline.signal.aborted
          ? { isDelivered: false, isFinal: false, reason: `no answer within ${TIMEOUT_MS / SECOND} s` }
          : failureOf(error as SmtpError, options);
      }
    },
    [Symbol.asyncDispose]: async () => closed.abort(),
  };
};

/** Where and how to connect. */
const SMTP_PORT = 587;
const SMTPS_PORT = 465;
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|::1)$/;

/**
 * `isSmtps`: whether the connection begins with TLS. `needsStartTls`: whether nothing is sent before STARTTLS. Programs on
 * the same machine often have no certificate.
 */
export const mailServerOf = ({ smtp_url, smtp_ca_file }: EmailOptions) => {
  const { protocol, hostname, port } = new URL(smtp_url.reveal());
  const [isSmtps, host] = [protocol === 'smtps:', hostname.replace(/^\[|\]$/g, '')];
  return {
    ...{ host, isSmtps, port: Number(port || (isSmtps ? SMTPS_PORT : SMTP_PORT)) },
    needsStartTls: !isSmtps && (smtp_ca_file !== undefined || !LOOPBACK.test(host)),
  };
};

const connectionOf = (options: EmailOptions) => {
  const { host, port, isSmtps, needsStartTls } = mailServerOf(options);
  const { username, password } = credentialsOf(options);
  const { smtp_ca_file: caFile } = options;
  return {
    ...{ host, port, secure: isSmtps, requireTLS: needsStartTls, ignoreTLS: !needsStartTls },
    ...(username !== '' && { auth: { user: username, pass: password } }),
    ...(caFile !== undefined && { tls: { ca: readFileSync(caFile) } }),
    ...{ disableFileAccess: true, disableUrlAccess: true },
  };
};

const credentialsOf = ({ smtp_url }: EmailOptions): { username: string; password: string } => {
  const { username, password } = new URL(smtp_url.reveal());
  return { username: decodeURIComponent(username), password: decodeURIComponent(password) };
};

const emailOf = (
  { id, content }: OutgoingNotification,
  { from, to }: EmailOptions,
  { annotate }: TransportContext,
): SendMailOptions => ({
  ...{ from, to: [...to] },
  ...('report' in content
    ? { subject: content.report.title, text: content.report.text }
    : { subject: titleOf(content), text: textOf(content, annotate, FORMAT) }),
  // The id is the same each time the notification is sent, so mail programs recognize repetitions.
  messageId: `<${id}@${domainOf(from)}>`,
  // RFC 3834: programs that answer absences do not answer this message.
  headers: { 'Auto-Submitted': 'auto-generated' },
});

const domainOf = (address: string): string => /@([^\s<>@]+)>?$/.exec(address)?.[1] ?? 'localhost';

/** A second attempt would repeat the message to the others, so the recipients that the server rejects are only logged. */
const acceptedBy = (accepted: number, rejected: number, { log }: TransportContext): Delivery => {
  if (rejected > 0)
    log.warn({ accepted, rejected }, 'the mail server rejects some recipients of an email; correct to');
  return {
    isDelivered: true,
    reply: `accepted the message for ${accepted} of ${accepted + rejected} recipients`,
  };
};

/** The parts of nodemailer's errors that proxywatch uses. Their messages may quote the server. */
interface SmtpError {
  readonly code?: string;
  /** The code of the system or of TLS. */
  readonly originalCode?: string;
  readonly responseCode?: number;
  readonly response?: string;
}

const failureOf = (error: SmtpError, options: EmailOptions): Delivery => {
  const { code, responseCode: status, response } = error;
  const answered = status === undefined ? '' : `; the mail server answered ${status}`;
  const { username, password } = credentialsOf(options);
  return {
    isDelivered: false,
    reason: `${reasonOf(error)}${answered}`,
    answer: quotedAnswer(response ?? '', [options.smtp_url.reveal(), username, password]),
    // A server that rejects the content rejects it again. Everything else the operator can correct, or it passes.
    isFinal: code === 'EMESSAGE' && status !== undefined && status >= 500,
  };
};

const UNTRUSTED = /CERT|SELF_SIGNED|SIGNATURE|ISSUER/;

const reasonOf = ({ code, originalCode, responseCode }: SmtpError): string => {
  if (responseCode !== undefined && responseCode >= 400 && responseCode < 500)
    return 'the mail server does not accept the message at the moment';
  if (originalCode !== undefined && UNTRUSTED.test(originalCode))
    return `this machine does not trust the certificate of the mail server (${originalCode}); set smtp_ca_file`;
  switch (code) {
    case 'EAUTH':
    case 'ENOAUTH':
      return 'the mail server rejects user name or password; correct smtp_url';
    case 'ETLS':
      return 'the mail server does not offer STARTTLS; use smtps:// if the server expects TLS from the start';
    case 'EENVELOPE':
      return 'the mail server rejects the sender or the recipients; correct from and to';
    case 'EMESSAGE':
      return 'the mail server rejects the message';
    default:
      return connectionErrorText({ code: originalCode ?? code });
  }
};
