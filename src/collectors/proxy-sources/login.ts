// Reads the login of the proxy user that found proxies are tested as, if it is not each proxy's default user.

import type { Secret } from '../../lib/secret.ts';
import { readProxyUserPassword } from '../../provider/resources/proxy-users.ts';
import type { CommonOptions } from '../collector.ts';
import type { RunContext } from '../context.ts';

export interface Login {
  readonly username: string;
  readonly password: Secret;
}

/** Requests the user's current password; returns undefined if no user is configured. Throws ProviderError. */
export const readLogin = async (
  { client, signal }: RunContext<CommonOptions>,
  proxyUserId: string | undefined,
): Promise<Login | undefined> => {
  if (proxyUserId === undefined) return undefined;
  return { username: proxyUserId, password: await readProxyUserPassword(client, proxyUserId, signal) };
};
