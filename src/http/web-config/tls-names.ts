// TLS as web.yml names it, which is as Go does, in the names of OpenSSL.

/** Versions from 1.2 on: OpenSSL takes older ones only with its checks turned down. */
export const VERSIONS = { TLS12: 'TLSv1.2', TLS13: 'TLSv1.3' } as const;

/** Suites of TLS 1.3. There is no choosing among them in Go, so they are always on. */
const TLS13_SUITES = ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'];

/** Those that Go calls secure, and forward secret. */
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
};

export const SUITE_NAMES = [...TLS13_SUITES, ...Object.keys(SUITES)];

/** OpenSSL's list of the named suites, in their order. */
export const cipherList = (names: readonly string[]): string =>
  [...TLS13_SUITES, ...names.flatMap((name) => SUITES[name] ?? [])].join(':');

const CURVES: Readonly<Record<string, string>> = {
  CurveP256: 'P-256',
  CurveP384: 'P-384',
  CurveP521: 'P-521',
  X25519: 'X25519',
  X25519MLKEM768: 'X25519MLKEM768',
};

export const CURVE_NAMES = Object.keys(CURVES);

/** OpenSSL's list of the named curves, in their order. */
export const curveList = (names: readonly string[]): string =>
  names.flatMap((name) => CURVES[name] ?? []).join(':');
