// Translates the names of TLS settings in web.yml, which are Go's, to those of OpenSSL.

export const VERSION_NAMES = ['TLS10', 'TLS11', 'TLS12', 'TLS13'] as const;

export type VersionName = (typeof VERSION_NAMES)[number];

/** OpenSSL accepts the versions before 1.2 only at security level 0. */
export const VERSIONS = { TLS10: 'TLSv1', TLS11: 'TLSv1.1', TLS12: 'TLSv1.2', TLS13: 'TLSv1.3' } as const;

export const isObsolete = (version: VersionName): boolean => version < 'TLS12';

/** The suites of TLS 1.3. Go does not let users choose among them, so they are always on. */
const TLS13_SUITES = ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'];

/** The suites that exporters accept. The RSA suites have no forward secrecy, and Go no longer accepts them since 1.22. */
const SUITES: Readonly<Record<string, string>> = {
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

export const SUITE_NAMES = [...TLS13_SUITES, ...Object.keys(SUITES)];

/** Returns OpenSSL's list of the named suites, in the same order. */
export const cipherList = (names: readonly string[]): string =>
  [...TLS13_SUITES, ...names.flatMap((name) => SUITES[name] ?? [])].join(':');

/** HTTP/2 requires one of these before TLS 1.3. */
export const HTTP2_SUITES = [
  'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256',
  'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256',
];

const CURVES: Readonly<Record<string, string>> = {
  CurveP256: 'P-256',
  CurveP384: 'P-384',
  CurveP521: 'P-521',
  X25519: 'X25519',
  X25519MLKEM768: 'X25519MLKEM768',
};

export const CURVE_NAMES = Object.keys(CURVES);

/** Returns OpenSSL's list of the named curves, in the same order. */
export const curveList = (names: readonly string[]): string =>
  names.flatMap((name) => CURVES[name] ?? []).join(':');
