// Finds settings of web.yml that contradict each other, which the schema cannot.

import type { Path } from '../../config/config-error.ts';
import type { TlsSettings } from './schema.ts';
import { isCaSet } from './tls.ts';
import { HTTP2_SUITES } from './tls-names.ts';

export interface Finding {
  readonly path: Path;
  readonly message: string;
}

/** Whether it applies, the key of tls_server_config, and the message. */
export type Rule = readonly [boolean, keyof TlsSettings, string];

export const findingsOf = (rules: readonly Rule[]): Finding[] =>
  rules.flatMap(([applies, key, message]) =>
    applies ? [{ path: ['tls_server_config', key], message }] : [],
  );

/** Returns the contradictions, which other exporters report as errors too. */
export const contradictionsIn = (tls: TlsSettings, isHttp2On: boolean): Finding[] =>
  findingsOf([
    [
      tls.client_auth_type === 'NoClientCert' && isCaSet(tls),
      tls.client_ca_file === undefined ? 'client_ca' : 'client_ca_file',
      'this has no effect without client_auth_type; set client_auth_type, or remove this key',
    ],
    [
      tls.client_allowed_sans !== undefined && !REQUIRING_TYPES.includes(tls.client_auth_type),
      'client_allowed_sans',
      'needs client_auth_type: RequireAndVerifyClientCert or RequireAnyClientCert, because the other types allow clients without a certificate',
    ],
    [
      tls.min_version > tls.max_version,
      'max_version',
      `${tls.max_version} is older than min_version (${tls.min_version})`,
    ],
    [
      isHttp2On && lacksHttp2Suite(tls),
      'cipher_suites',
      `HTTP/2 needs ${HTTP2_SUITES.join(' or ')}; add one of them, or write http2: false, so that other exporters accept this file too`,
    ],
  ]);

const REQUIRING_TYPES: readonly string[] = ['RequireAnyClientCert', 'RequireAndVerifyClientCert'];

const lacksHttp2Suite = ({ cipher_suites, min_version }: TlsSettings): boolean =>
  cipher_suites.length > 0 &&
  min_version !== 'TLS13' &&
  !cipher_suites.some((suite) => HTTP2_SUITES.includes(suite));
