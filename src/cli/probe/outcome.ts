// Defines what proxywatch probe reports, and hides text of an answer that repeats a secret of the probe, in any encoding.

import { isIPv6 } from 'node:net';
import { containsSecret, secretVariants } from '../../lib/secret-search.ts';
import type { ProbeProxy, ProbeResult, ProbeTarget } from '../../prober/probe.ts';

/** What was probed, and what came out. */
export interface Outcome {
  readonly proxy: ProbeProxy;
  readonly target: ProbeTarget;
  readonly result: ProbeResult;
  /** Undefined if no control was wanted. */
  readonly control: ProbeResult | undefined;
}

export type Hide = (text: string) => string;

/** The user name is no secret, but the password and what follows the host of the target can be. */
export const createHider = ({ host, port, credentials }: ProbeProxy, target: ProbeTarget): Hide => {
  const at = `${isIPv6(host) ? `[${host}]` : host}:${port}`;
  const login = credentials ? [`${at}:${credentials.username}:${credentials.password.reveal()}`] : [];
  const secrets = secretVariants([...login, target.url.reveal()]);
  return (text) => (containsSecret(text, secrets) ? '[masked: the line repeats a secret]' : text);
};
