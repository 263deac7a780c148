// The proxy user that found proxies are tested as, where it is not the default user of each.

import type { Secret } from '../../../lib/secret.ts';
import { readProxyUserPassword } from '../../../provider/resources/proxy-users.ts';
import type { CommonOptions } from '../../collector.ts';
import type { RunContext } from '../../context.ts';

export interface Login {
  readonly username: string;
  readonly password: Secret;
}

/** Asks the provider for the user's present password. Throws ProviderError; undefined when no user is named. */
export const readLogin = async (
  { client, signal }: RunContext<CommonOptions>,
  proxyUserId: string | undefined,
): Promise<Login | undefined> => {
  if (proxyUserId === undefined) return undefined;
  return { username: proxyUserId, password: await readProxyUserPassword(client, proxyUserId, signal) };
};
