// Says what to do next about each cause of a failed probe.

import type { Cause, Phase, ProbeFailure } from './probe.ts';

/** How the texts name another probe of the same proxy and target. */
const AGAIN = 'run the command again';

type Advice = Readonly<Partial<Record<Phase, string>>> & { readonly any: string };

export const AFTER_TUNNEL = `${AGAIN} with --control to see whether the target answers without the proxy`;
const ADDRESS = "check the proxy's host and port, and the firewalls between this machine and the proxy";
const SUPPORT = "try again later, and quote the request id to the provider's support if it happens again";
const PROTOCOL =
  'check that the port and the protocol (http://, https:// or socks5://) are those of the proxy';
const TARGET = `check that the target runs, and ${AGAIN} with --control`;

const ADVICE: Readonly<Record<Cause, Advice>> = {
  dns: { any: 'check the name, and the DNS servers of this machine' },
  refused: { any: ADDRESS },
  unreachable: { any: 'check the network of this machine, and whether it has IPv6 if the address is one' },
  reset: { any: PROTOCOL, tls: AFTER_TUNNEL, response: AFTER_TUNNEL },
  closed: { any: PROTOCOL, tls: AFTER_TUNNEL, response: AFTER_TUNNEL },
  timeout: {
    any: ADDRESS,
    resolve: 'check the DNS servers of this machine',
    tunnel: `${PROTOCOL}, and try another target`,
    tls: AFTER_TUNNEL,
    response: AFTER_TUNNEL,
  },
  credentials: {
    any: 'check the user name and the password, or, if the proxy needs none, whether the address of this machine is authorized',
  },
  options: { any: 'correct the options in the user name, such as _c_gb for a country' },
  quota: { any: 'check the limits and the remaining traffic of the proxy user' },
  no_node: { any: 'choose other options, such as another country, or try again later' },
  policy: { any: "use another target, or ask the provider's support to allow this one" },
  provider: { any: SUPPORT },
  target_name: { any: 'correct the host name in the URL' },
  target_refused: { any: TARGET },
  target_unreachable: { any: TARGET },
  proxy_or_target: { any: `${AFTER_TUNNEL}, and try another proxy` },
  certificate: {
    any: 'check the clock of this machine, and if you trust the authority of the proxy, give its certificate with --ca-file',
    tls: `${AGAIN} with --control, and if you trust the authority of the target, give its certificate with --target-ca-file`,
  },
  status: { any: AFTER_TUNNEL },
  header: { any: AFTER_TUNNEL },
  body: { any: AFTER_TUNNEL },
  proxy_error: { any: `${AGAIN} with --verbose to see the answer of the proxy` },
  protocol: { any: PROTOCOL, tls: AFTER_TUNNEL, response: AFTER_TUNNEL },
  local: {
    any: 'check the limits of this machine, such as open files, and its firewall',
    resolve: 'check the DNS servers of this machine',
  },
};

/** A file with the authority helps only against an authority that is not trusted. */
const CERTIFICATE_ADVICE: readonly (readonly [code: string, proxy: string, target: string])[] = [
  [
    'CERT_HAS_EXPIRED',
    'check the clock of this machine, and ask the operator of the proxy to renew the certificate',
    `${AGAIN} with --control, and if the target has this certificate without the proxy too, ask its operator to renew the certificate`,
  ],
  [
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'write the host name of the proxy that its certificate contains',
    `check the host name in the URL, and ${AGAIN} with --control`,
  ],
];

/** What to do next about a failure of which only the phase and the cause are known, for readers without that command. */
export const adviceOnCause = (phase: Phase, cause: Cause): string =>
  (ADVICE[cause][phase] ?? ADVICE[cause].any).replaceAll(
    AGAIN,
    'run `proxywatch probe` with the proxy and the target',
  );

export const adviceOn = ({ phase, cause, message }: ProbeFailure): string => {
  const [, proxy, target] = CERTIFICATE_ADVICE.find(([code]) => message.includes(`(${code})`)) ?? [];
  const ofCertificate = cause !== 'certificate' ? undefined : phase === 'tls' ? target : proxy;
  return ofCertificate ?? ADVICE[cause][phase] ?? ADVICE[cause].any;
};
