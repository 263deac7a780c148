// Defines the schema of web.yml, which is the one of Prometheus exporters (exporter-toolkit): TLS, headers, users, rate limit.
// Other exporters read the values with Go's YAML parser, from the text in the file.

import { z } from 'zod';
import { resolvePath } from '../../config/files.ts';
import { parsedText } from '../../config/parsed-text.ts';
import { secret } from '../../config/primitives.ts';
import { Secret } from '../../lib/secret.ts';
import { HOUR, MINUTE, SECOND } from '../../lib/time.ts';

const TRUE = /^(?:y|Y|yes|Yes|YES|true|True|TRUE|on|On|ON)$/;
const FALSE = /^(?:n|N|no|No|NO|false|False|FALSE|off|Off|OFF)$/;

/** Schema of a boolean of YAML 1.1. */
const yamlBoolean = () =>
  parsedText('true or false', (text) => (FALSE.test(text) ? false : TRUE.test(text) || undefined));

const yamlInteger = () =>
  parsedText('a whole number from 0', (text) => {
    const value = /^\+?\d+$/.test(text) ? Number(text) : Number.NaN;
    return Number.isSafeInteger(value) ? value : undefined;
  });

const UNITS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: SECOND,
  m: MINUTE,
  h: HOUR,
};
const PART = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g;
const DURATION = new RegExp(`^\\+?(?:${PART.source})+$`);

/** Schema of a duration from 0 in Go's notation, such as 500ms, 1.5s or 1h30m. */
const goDuration = () => parsedText('a duration such as 500ms, 1s or 1h30m', parseGoDuration);

/** Go reads a number without a unit as nanoseconds. */
const parseGoDuration = (text: string) => {
  if (/^\+?\d+$/.test(text)) return { ms: Number(text) * 1e-6, isPlainNumber: true };
  if (!DURATION.test(text)) return undefined;
  const parts = [...text.matchAll(PART)];
  const ms = parts.reduce((sum, [, amount, unit = '']) => sum + Number(amount) * (UNITS[unit] ?? 0), 0);
  return { ms, isPlainNumber: false };
};

const VERSIONS = ['TLS10', 'TLS11', 'TLS12', 'TLS13'] as const;

/** The suites of TLS 1.3. Go does not let users choose among them, so they are always on. */
export const TLS13_SUITES = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
];

/** The other suites that exporters accept, with their names in OpenSSL. The RSA suites have no forward secrecy, and Go no longer accepts them since 1.22. */
export const SUITES: Readonly<Record<string, string>> = {
  TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA: 'ECDHE-ECDSA-AES128-SHA',
  TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA: 'ECDHE-ECDSA-AES256-SHA',
  TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA: 'ECDHE-RSA-AES128-SHA',
  TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA: 'ECDHE-RSA-AES256-SHA',
  TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256: 'ECDHE-ECDSA-AES128-GCM-SHA256',
  TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384: 'ECDHE-ECDSA-AES256-GCM-SHA384',
  TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256: 'ECDHE-RSA-AES128-GCM-SHA256',
  TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384: 'ECDHE-RSA-AES256-GCM-SHA384',
  TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256: 'ECDHE-ECDSA-CHACHA20-POLY1305',
  TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256: 'ECDHE-RSA-CHACHA20-POLY1305',
  TLS_RSA_WITH_AES_128_CBC_SHA: 'AES128-SHA',
  TLS_RSA_WITH_AES_256_CBC_SHA: 'AES256-SHA',
  TLS_RSA_WITH_AES_128_GCM_SHA256: 'AES128-GCM-SHA256',
  TLS_RSA_WITH_AES_256_GCM_SHA384: 'AES256-GCM-SHA384',
};

const CURVES = ['CurveP256', 'CurveP384', 'CurveP521', 'X25519', 'X25519MLKEM768'];

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
  min_version: z.enum(VERSIONS).default('TLS12'),
  max_version: z.enum(VERSIONS).default('TLS13'),
  cipher_suites: z.array(z.enum([...TLS13_SUITES, ...Object.keys(SUITES)])).default([]),
  prefer_server_cipher_suites: yamlBoolean().default(true),
  curve_preferences: z.array(z.enum(CURVES)).default([]),
});

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
