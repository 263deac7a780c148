// Defines the schema of web.yml, which is the one of Prometheus exporters (exporter-toolkit): TLS, headers, users.

import { z } from 'zod';
import { relativePath, secret } from '../../config/primitives.ts';
import { CURVE_NAMES, SUITE_NAMES } from './tls-names.ts';

/** A key of the format that proxywatch does not support. It is a mistake with a reason instead of an unknown key. */
const unsupported = (reason: string) => z.never({ error: reason }).optional();

const onlyFromFile = (key: string) => unsupported(`proxywatch reads it only from a file: write ${key}_file`);

const CLIENT_AUTH_TYPES = [
  'NoClientCert',
  'RequestClientCert',
  'RequireAnyClientCert',
  'VerifyClientCertIfGiven',
  'RequireAndVerifyClientCert',
] as const;

export type ClientAuthType = (typeof CLIENT_AUTH_TYPES)[number];

const version = () => z.enum(['TLS12', 'TLS13']);

const tlsServerConfig = z.strictObject({
  cert_file: relativePath(),
  key_file: relativePath(),
  client_auth_type: z.enum(CLIENT_AUTH_TYPES).default('NoClientCert'),
  client_ca_file: relativePath().optional(),
  client_allowed_sans: z.array(z.string().min(1)).default([]),
  min_version: version().default('TLS12'),
  max_version: version().default('TLS13'),
  cipher_suites: z.array(z.enum(SUITE_NAMES)).default([]),
  prefer_server_cipher_suites: z.boolean().default(true),
  curve_preferences: z.array(z.enum(CURVE_NAMES)).default([]),
  cert: onlyFromFile('cert'),
  key: onlyFromFile('key'),
  client_ca: onlyFromFile('client_ca'),
});

/** A text that is valid in a header. */
const headerText = () => z.string().regex(/^[\t\x20-\x7e]*$/, 'expected printable ASCII');

const httpServerConfig = z.strictObject({
  http2: z
    .literal(false, { error: 'proxywatch serves only HTTP/1.1: write false, or leave it out' })
    .optional(),
  headers: z
    .strictObject({
      'Content-Security-Policy': headerText().optional(),
      'X-Frame-Options': z.enum(['deny', 'sameorigin']).optional(),
      'X-Content-Type-Options': z.enum(['nosniff']).optional(),
      'X-XSS-Protection': headerText().optional(),
      'Strict-Transport-Security': headerText().optional(),
    })
    .prefault({}),
});

/** A cost above 15 takes seconds, also for every wrong guess. */
const BCRYPT = /^\$2[aby]\$(?:0[4-9]|1[0-5])\$[./A-Za-z0-9]{53}$/;

const bcryptHash = () =>
  secret('a bcrypt hash with a cost from 4 to 15, as htpasswd -nBC 10 prints it', (text) =>
    BCRYPT.test(text),
  );

export const webConfigSchema = z.strictObject({
  tls_server_config: tlsServerConfig.optional(),
  http_server_config: httpServerConfig.prefault({}),
  basic_auth_users: z.record(z.string(), bcryptHash()).prefault({}),
  rate_limit: unsupported('proxywatch does not limit rates; use a reverse proxy for that'),
});

export type WebSettings = z.output<typeof webConfigSchema>;
export type TlsSettings = z.output<typeof tlsServerConfig>;
