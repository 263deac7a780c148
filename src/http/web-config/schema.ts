// Defines the schema of web.yml, which is the one of Prometheus exporters (exporter-toolkit): TLS, headers, users, rate limit.

import { z } from 'zod';
import { resolvePath } from '../../config/base-folder.ts';
import { secret } from '../../config/primitives.ts';
import { Secret } from '../../lib/secret.ts';
import { goDuration, yamlBoolean, yamlInteger } from './go-values.ts';
import { CURVE_NAMES, SUITE_NAMES, VERSION_NAMES } from './tls-names.ts';

const CLIENT_AUTH_TYPES = [
  'NoClientCert',
  'RequestClientCert',
  'RequireAnyClientCert',
  'VerifyClientCertIfGiven',
  'RequireAndVerifyClientCert',
] as const;

export type ClientAuthType = (typeof CLIENT_AUTH_TYPES)[number];

const clientAuthType = () => {
  const aliases = new Map<unknown, ClientAuthType>([
    ['', 'NoClientCert'],
    ['RequireClientCert', 'RequireAnyClientCert'],
  ]);
  return z.preprocess((name) => aliases.get(name) ?? name, z.enum(CLIENT_AUTH_TYPES));
};

/** An empty path is the same as none, so that a file made from a template can leave it empty. */
const pathOrEmpty = () => z.string().transform((text) => (text === '' ? undefined : resolvePath(text)));

/** PEM text that messages never show, because it may be a private key in the wrong place. */
const pemOrEmpty = () =>
  z
    .string()
    .transform((text) => (text === '' ? undefined : new Secret(text)))
    .meta({ writeOnly: true });

const tlsServerConfig = z.strictObject({
  cert: pemOrEmpty().optional(),
  key: pemOrEmpty().optional(),
  client_ca: pemOrEmpty().optional(),
  cert_file: pathOrEmpty().optional(),
  key_file: pathOrEmpty().optional(),
  client_ca_file: pathOrEmpty().optional(),
  client_auth_type: clientAuthType().default('NoClientCert'),
  /** An empty list allows no name, and no list allows any. */
  client_allowed_sans: z.array(z.string()).optional(),
  min_version: z.enum(VERSION_NAMES).default('TLS12'),
  max_version: z.enum(VERSION_NAMES).default('TLS13'),
  cipher_suites: z.array(z.enum(SUITE_NAMES)).default([]),
  prefer_server_cipher_suites: yamlBoolean().default(true),
  curve_preferences: z.array(z.enum(CURVE_NAMES)).default([]),
});

/** A text that is valid in a header. */
const headerText = () => z.string().regex(/^[\t\x20-\x7e]*$/, 'expected printable ASCII');

const httpServerConfig = z.strictObject({
  http2: yamlBoolean().default(true),
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

const BCRYPT = /^\$2[aby]\$(?:0[4-9]|[12]\d|3[01])\$[./A-Za-z0-9]{53}$/;

const bcryptHash = () =>
  secret('a bcrypt hash with a cost from 4 to 31, as htpasswd -nBC 10 prints it', (text) =>
    BCRYPT.test(text),
  );

const rateLimit = z.strictObject({
  interval: goDuration().default({ ms: 0, isPlainNumber: false }),
  burst: yamlInteger().default(0),
});

export const webConfigSchema = z.strictObject({
  tls_server_config: tlsServerConfig.optional(),
  http_server_config: httpServerConfig.prefault({}),
  basic_auth_users: z.record(z.string(), bcryptHash()).prefault({}),
  rate_limit: rateLimit.prefault({}),
});

export type WebSettings = z.output<typeof webConfigSchema>;
export type TlsSettings = z.output<typeof tlsServerConfig>;
