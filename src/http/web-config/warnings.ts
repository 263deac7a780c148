// Finds settings of web.yml that are valid, but may not do what the reader expects.

import { costOf, describeTimeAt } from './bcrypt-cost.ts';
import { type Finding, findingsOf, type Rule } from './rules.ts';
import type { TlsSettings, WebSettings } from './schema.ts';
import { isCaSet, isTlsOn } from './tls.ts';
import { isObsolete } from './tls-names.ts';
import { isVerifying } from './trusted-authorities.ts';

export const warningsAbout = (settings: WebSettings): Finding[] => [
  ...(settings.tls_server_config ? tlsWarnings(settings.tls_server_config) : []),
  ...rateWarnings(settings.rate_limit),
  ...userWarnings(settings.basic_auth_users),
];

const tlsWarnings = (tls: TlsSettings): Finding[] => {
  if (!isTlsOn(tls)) return [{ path: ['tls_server_config'], message: WITHOUT_CERTIFICATE }];
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
