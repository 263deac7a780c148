// Finds settings of web.yml that contradict each other, and settings that are valid, but may not do what the reader expects.

import type { Path } from '../../config/config-error.ts';
import { costOf, describeTimeAt } from './basic-auth.ts';
import type { TlsSettings, WebSettings } from './schema.ts';

export interface Finding {
  readonly path: Path;
  readonly message: string;
}

export const tlsFinding = (key: keyof TlsSettings, message: string): Finding => ({
  path: ['tls_server_config', key],
  message,
});

export const isCaSet = ({ client_ca, client_ca_file }: Pick<TlsSettings, 'client_ca' | 'client_ca_file'>) =>
  client_ca !== undefined || client_ca_file !== undefined;

export const isVerifying = ({ client_auth_type }: TlsSettings): boolean =>
  ['VerifyClientCertIfGiven', 'RequireAndVerifyClientCert'].includes(client_auth_type);

export const isObsolete = (version: TlsSettings['min_version']): boolean => version < 'TLS12';

/** Whether it applies, the key of tls_server_config, and the message. */
type Rule = readonly [boolean, keyof TlsSettings, string];

const findingsOf = (rules: readonly Rule[]): Finding[] =>
  rules.flatMap(([applies, key, message]) => (applies ? [tlsFinding(key, message)] : []));

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

/** HTTP/2 requires one of these before TLS 1.3. */
const HTTP2_SUITES = ['TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256', 'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256'];

const lacksHttp2Suite = ({ cipher_suites, min_version }: TlsSettings): boolean =>
  cipher_suites.length > 0 &&
  min_version !== 'TLS13' &&
  !cipher_suites.some((suite) => HTTP2_SUITES.includes(suite));

/** `isTlsOn` says whether the settings of TLS are in effect. */
export const warningsAbout = (settings: WebSettings, isTlsOn: boolean): Finding[] => [
  ...(settings.tls_server_config ? tlsWarnings(settings.tls_server_config, isTlsOn) : []),
  ...rateWarnings(settings.rate_limit),
  ...userWarnings(settings.basic_auth_users),
];

const tlsWarnings = (tls: TlsSettings, isTlsOn: boolean): Finding[] => {
  if (!isTlsOn) return [{ path: ['tls_server_config'], message: WITHOUT_CERTIFICATE }];
  return findingsOf([
    ...(['cert', 'key', 'client_ca'] as const).map(
      (key): Rule => [
        tls[key] !== undefined && tls[`${key}_file`] !== undefined,
        key,
        `this has no effect, because ${key}_file is set`,
      ],
    ),
    [
      isVerifying(tls) && !isCaSet(tls) && tls.client_allowed_sans === undefined,
      'client_auth_type',
      'without client_ca_file, the certificates of every authority that the operating system trusts are accepted; set client_ca_file, or client_allowed_sans',
    ],
    [
      isObsolete(tls.min_version),
      'min_version',
      'TLS 1.0 and 1.1 are insecure, and turning them on lowers the security level of all connections',
    ],
  ]);
};

const WITHOUT_CERTIFICATE =
  'there is no certificate here, so TLS is off; set cert_file and key_file to turn it on';

const rateWarnings = ({ interval, burst }: WebSettings['rate_limit']): Finding[] => {
  if (interval.ms === 0) return [];
  const noBurst = 'a burst of 0 rejects every request; write at least 1';
  const noUnit = 'a number without a unit means nanoseconds; write a unit, for example 1s';
  return [
    ...(interval.isPlainNumber ? [{ path: ['rate_limit', 'interval'], message: noUnit }] : []),
    ...(burst === 0 ? [{ path: ['rate_limit', 'burst'], message: noBurst }] : []),
  ];
};

/** From this cost on, a guess takes more than five seconds. */
const EXPENSIVE = 16;

const userWarnings = (users: WebSettings['basic_auth_users']): Finding[] =>
  Object.entries(users).flatMap(([user, hash]) => {
    const cost = costOf(hash.reveal());
    if (cost < EXPENSIVE) return [];
    const message = `the cost ${cost} makes each wrong password, also of unknown users, take about ${describeTimeAt(cost)} of a CPU core; use a cost of 10 to 12`;
    return [{ path: ['basic_auth_users', user], message }];
  });
