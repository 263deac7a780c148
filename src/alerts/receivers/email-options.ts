// Defines the configuration of receivers that get notifications by email.

import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { objectWithSecrets, pathText, resolvePath, secret } from '../../config/primitives.ts';
import { receiverName, routingOptions } from './routing-options.ts';

const EXPECTED_SMTP_URL =
  'an address such as smtp://user:password@mail.example.com:587, or smtps:// for TLS from the start';

const isSmtpUrl = (text: string): boolean => {
  const url = URL.parse(text);
  if (!url || !/^smtps?:$/.test(url.protocol) || url.hostname === '') return false;
  return /^\/?$/.test(url.pathname) && url.search === '' && url.hash === '' && isDecodable(url);
};

/** A percent sign in a password must be written as %25. */
const isDecodable = ({ username, password }: URL): boolean => {
  try {
    decodeURIComponent(username + password);
    return true;
  } catch {
    return false;
  }
};

const explainSmtpUrl = (text: string): string => {
  const url = URL.parse(text);
  const problem =
    url && !isDecodable(url)
      ? 'a URL with a % that must be written as %25'
      : 'not the address of a mail server. Write special characters of the password as %XX';
  return `${problem}; expected ${EXPECTED_SMTP_URL}`;
};

/** An address, optionally with a name: `ops@example.com` or `proxywatch <ops@example.com>`. */
const emailAddress = () =>
  z
    .string()
    .regex(
      /^(?:[^<>@,;:"\p{Cc}]*<[^\s<>@,;:"()]+@[^\s<>@,;:"()]+>|[^\s<>@,;:"()]+@[^\s<>@,;:"()]+)$/u,
      'expected an email address such as ops@example.com, or proxywatch <ops@example.com>',
    );

/** The file is read at each connection, so that a renewed certificate needs no reload. */
const certificateFile = () =>
  pathText().transform((path, context) => {
    const file = resolvePath(path);
    try {
      new X509Certificate(readFileSync(file));
    } catch {
      context.addIssue('expected a readable file with a certificate (PEM)');
    }
    return file;
  });

export const emailOptions = objectWithSecrets(
  {
    type: z.literal('email').describe('Kind of the receiver'),
    name: receiverName(),
    from: emailAddress().describe('Address of the sender'),
    to: z
      .array(emailAddress().describe('Address of a recipient'))
      .min(1)
      .max(50)
      .describe('Addresses of the recipients'),
    smtp_ca_file: certificateFile()
      .optional()
      .describe('Certificates (PEM) of the authority that signed the certificate of the mail server'),
    ...routingOptions,
  },
  {
    smtp_url: secret(EXPECTED_SMTP_URL, isSmtpUrl, explainSmtpUrl).describe(
      'Address of the mail server, with user name and password',
    ),
  },
);

export type EmailOptions = z.output<typeof emailOptions>;
