// Lists the web.yml files of exporter-toolkit's own tests, by their names there and written anew, with the verdicts there.

import { pem } from '../web-config-support.ts';

export interface SuiteFile {
  readonly text: string;
  /** What the error says; undefined if the file is valid. */
  readonly mistake?: RegExp;
}

const lines = (...all: string[]): string => `${all.join('\n')}\n`;

const tls = (...keys: string[]): string => lines('tls_server_config:', ...keys.map((key) => `  ${key}`));

const PAIR = ['cert_file: server.pem', 'key_file: server.key'];

const optional = (...keys: string[]): string =>
  tls(...PAIR, 'client_auth_type: VerifyClientCertIfGiven', ...keys);

const required = (...keys: string[]): string =>
  tls(...PAIR, 'client_auth_type: RequireAndVerifyClientCert', ...keys);

const inline = (key: string, name: string): string =>
  `${key}: |\n${pem(name).trimEnd().replaceAll(/^/gm, '    ')}`;

const suites = (...names: string[]): string => `cipher_suites: [${names.join(', ')}]`;

const header = (text: string): string => lines('http_server_config:', '  headers:', `    ${text}`);

/** The password of carol and dave is their name. Nobody knows those of erin and frank. */
const USERS = [
  'basic_auth_users:',
  '  carol: $2b$05$QQvabV6at8TOn71BaCSpXOQVfb.uwGgDrahiVK/CwXuxdDxTCWmFu',
  '  dave: $2b$04$rX/BuuWFI70WcazeiBsKCea/XkbJzThp5K6pN3Jyg0aSHZSU0XjF6',
];
const ERIN = '  erin: $2y$10$QQvabV6at8TOn71BaCSpXOQVfb.uwGgDrahiVK/CwXuxdDxTCWmFu';
const FRANK = '  frank: $2y$18$QQvabV6at8TOn71BaCSpXOQVfb.uwGgDrahiVK/CwXuxdDxTCWmFu';

const NO_CERTIFICATE = /cert(_file)?: missing; set cert or cert_file/;
const NO_KEY = /key(_file)?: missing; set key or key_file/;
const NO_FILE = /_file: expected a readable file \(no such file\)/;
const SAN_WITHOUT_CERTIFICATE = /client_allowed_sans: needs client_auth_type: RequireAndVerifyClientCert/;

const AES_128 = 'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256';
const AES_256 = 'TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384';
const ALL_SUITES = [
  ...['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'],
  ...['ECDSA', 'RSA'].flatMap((key) =>
    [
      'AES_128_GCM_SHA256',
      'AES_256_GCM_SHA384',
      'CHACHA20_POLY1305_SHA256',
      'AES_128_CBC_SHA',
      'AES_256_CBC_SHA',
    ].map((suite) => `TLS_ECDHE_${key}_WITH_${suite}`),
  ),
  ...['AES_128_CBC_SHA', 'AES_256_CBC_SHA', 'AES_128_GCM_SHA256', 'AES_256_GCM_SHA384'].map(
    (suite) => `TLS_RSA_WITH_${suite}`,
  ),
];

export const SUITE_FILES = {
  'tls_config_noAuth.requireandverifyclientcert.good.yml': { text: required('client_ca_file: ca.pem') },
  'tls_config_noAuth.requireanyclientcert.good.yml': {
    text: tls(...PAIR, 'client_ca_file: ca.pem', 'client_auth_type: RequireAnyClientCert'),
  },
  'tls_config_noAuth.requireanyclientcertkeyinline.good.yml': {
    text: tls(
      'cert_file: server.pem',
      inline('key', 'server-rsa.key'),
      'client_auth_type: RequireAnyClientCert',
    ),
  },
  'web_config_auth_clientCAs_invalid.bad.yml': {
    text: tls(...PAIR, 'client_ca_file: missing'),
    mistake: NO_FILE,
  },
  'web_config_auth_clientCAs_nocerts.bad.yml': {
    text: required('client_ca_file: server.key'),
    mistake: /client_ca_file: expected a file that contains a certificate/,
  },
  'web_config_auth_clientCAsText_nocerts.bad.yml': {
    text: required('client_ca: no certificate'),
    mistake: /client_ca: expected a certificate/,
  },
  'web_config_auth_client_san.good.yaml': {
    text: required(
      'client_ca_file: ca.pem',
      'client_allowed_sans: [first.example, prometheus.example, 192.0.2.7]',
    ),
  },
  'web_config_auth_client_san.bad.yaml': {
    text: required('client_ca_file: ca.pem', 'client_allowed_sans: [other.example]'),
  },
  'web_config_auth_client_san_no_client_auth.bad.yaml': {
    text: tls(...PAIR, 'client_allowed_sans: [prometheus.example]'),
    mistake: SAN_WITHOUT_CERTIFICATE,
  },
  'web_config_auth_client_san_optional_cert.bad.yaml': {
    text: optional('client_ca_file: ca.pem', 'client_allowed_sans: [prometheus.example]'),
    mistake: SAN_WITHOUT_CERTIFICATE,
  },
  'web_config_auth_user_list_invalid.bad.yml': {
    text: lines('basic_auth_users: {alice: hunter2}', tls(...PAIR)),
    mistake: /basic_auth_users\.alice: expected a bcrypt hash/,
  },
  'web_config_empty.yml': { text: '' },
  'web_config_headers.good.yml': {
    text: lines(
      'http_server_config:',
      '  headers:',
      '    X-XSS-Protection: 1',
      '    X-Content-Type-Options: nosniff',
      '    X-Frame-Options: deny',
      `    Content-Security-Policy: "default-src 'self' *.example.com"`,
      '    Strict-Transport-Security: max-age=86400; includeSubDomains',
    ),
  },
  'web_config_headers_content_type_options.bad.yml': {
    text: header('X-Content-Type-Options: sniff'),
    mistake: /X-Content-Type-Options: expected "nosniff", found "sniff"/,
  },
  'web_config_headers_extra_header.bad.yml': {
    text: header('Content-Language: en'),
    mistake: /headers\.Content-Language: unknown key/,
  },
  'web_config_headers_frame_options.bad.yml': {
    text: header('X-Frame-Options: allow'),
    mistake: /X-Frame-Options: expected "deny" or "sameorigin", found "allow"/,
  },
  'web_config_junk.yml': { text: 'neither a map nor empty\n', mistake: /expected a map/ },
  'web_config_junk_key.yml': {
    text: tls('cert_fiel: server.pem'),
    mistake: /cert_fiel: unknown key; did you mean "cert_file"\?/,
  },
  'web_config_noAuth.bad.yml': {
    text: tls(...PAIR, 'client_ca_file: /dev/null'),
    mistake: /client_ca_file: this has no effect without client_auth_type/,
  },
  'web_config_noAuth.good.blocking.yml': { text: required() },
  'web_config_noAuth.good.yml': { text: optional() },
  'web_config_noAuth_allCiphers.good.yml': { text: optional(suites(...ALL_SUITES)) },
  'web_config_noAuth_allCurves.good.yml': {
    text: optional('curve_preferences: [X25519MLKEM768, X25519, CurveP256, CurveP384, CurveP521]'),
  },
  'web_config_noAuth_certPath_empty.bad.yml': {
    text: tls('cert_file: ""', 'key_file: server.key'),
    mistake: NO_CERTIFICATE,
  },
  'web_config_noAuth_certPath_invalid.bad.yml': {
    text: tls('cert_file: missing', 'key_file: server.key'),
    mistake: NO_FILE,
  },
  'web_config_noAuth_certPath_keyPath_empty.bad.yml': {
    text: tls('cert_file: ""', 'key_file: ""', 'client_auth_type: RequestClientCert'),
    mistake: NO_CERTIFICATE,
  },
  'web_config_noAuth_certPath_keyPath_invalid.bad.yml': {
    text: tls('cert_file: missing', 'key_file: missing'),
    mistake: NO_FILE,
  },
  'web_config_noAuth_cert_empty.bad.yml': {
    text: tls('cert: ""', 'key_file: server.key'),
    mistake: NO_CERTIFICATE,
  },
  'web_config_noAuth_inventedCiphers.bad.yml': {
    text: optional(suites('TLS_ROT_13')),
    mistake: /cipher_suites\[0\]: expected one of 17 values, such as "TLS_AES_.* found "TLS_ROT_13"/,
  },
  'web_config_noAuth_inventedCurves.bad.yml': {
    text: optional('curve_preferences: [CurveBall]'),
    mistake: /curve_preferences\[0\]: expected "CurveP256".* found "CurveBall"/,
  },
  'web_config_noAuth_keyPath_empty.bad.yml': {
    text: tls('cert_file: server.pem', 'key_file: ""'),
    mistake: NO_KEY,
  },
  'web_config_noAuth_keyPath_invalid.bad.yml': {
    text: tls('cert_file: server.pem', 'key_file: missing'),
    mistake: NO_FILE,
  },
  'web_config_noAuth_key_empty.bad.yml': { text: tls('cert_file: server.pem', 'key: ""'), mistake: NO_KEY },
  'web_config_noAuth_noHTTP2.good.yml': {
    text: lines('http_server_config: {http2: false}', optional(suites(AES_256), 'max_version: TLS12')),
  },
  'web_config_noAuth_noHTTP2Cipher.bad.yml': {
    text: optional(suites(AES_256), 'max_version: TLS12'),
    mistake: /cipher_suites: HTTP\/2 needs TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256/,
  },
  'web_config_noAuth_someCiphers.good.yml': {
    text: optional(suites(AES_128, AES_256), 'max_version: TLS12'),
  },
  'web_config_noAuth_someCiphers_noOrder.good.yml': {
    text: optional(suites(AES_256, AES_128), 'max_version: TLS12', 'prefer_server_cipher_suites: false'),
  },
  'web_config_noAuth_someCurves.good.yml': {
    text: optional('curve_preferences: [CurveP521]', 'min_version: TLS13'),
  },
  'web_config_noAuth_tlsInline.good.yml': {
    text: tls(
      inline('key', 'server-rsa.key'),
      inline('cert', 'server-rsa.pem'),
      'client_auth_type: VerifyClientCertIfGiven',
    ),
  },
  'web_config_noAuth_wrongTLSVersion.bad.yml': {
    text: optional('min_version: TLS999'),
    mistake: /min_version: expected .*"TLS12".* found "TLS999"/,
  },
  'web_config_rate_limiter_headers.yaml': {
    text: lines('rate_limit: {burst: 1, interval: 1h}', header('X-Frame-Options: deny')),
  },
  'web_config_rate_limiter_nonblocking.yaml': { text: 'rate_limit: {burst: 0, interval: 0}\n' },
  'web_config_rate_limiter_one_second.yaml': { text: 'rate_limit: {burst: 0, interval: 1s}\n' },
  'web_config_users.good.yml': { text: lines(tls(...PAIR), ...USERS, ERIN, FRANK) },
  'web_config_users_noTLS.good.yml': { text: lines(...USERS, ERIN) },
} as const satisfies Record<string, SuiteFile>;

export type SuiteFileName = keyof typeof SUITE_FILES;
