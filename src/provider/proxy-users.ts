// Proxy users, their quotas and passwords: proxy_user/search.

import { z } from 'zod';
import type { MeteredType } from '../lib/product-types.ts';
import { Secret } from '../lib/secret.ts';
import type { ProviderClient } from './client.ts';
import { ProviderError } from './errors.ts';
import { type ListingOptions, type Page, readPages } from './pages.ts';
import { itemDecoder } from './schema.ts';

const SEARCH = 'proxy_user/search';

export interface Quota {
  /** Null when unlimited or not given; what 0 means is not documented. */
  readonly limitBytes: number | null;
  /** Null when not given. */
  readonly usedBytes: number | null;
}

/** Without the password, which is dropped where the answer is decoded. */
export interface ProxyUser {
  readonly id: string;
  readonly customerId: number | null;
  /** An open set, empty when not given: `all`, `service_restricted`, `proxy_restricted`. */
  readonly accessType: string;
  readonly isDefault: boolean;
  readonly isDeleted: boolean;
  readonly strictSecurity: boolean;
  readonly enforceHttps: boolean;
  readonly quotas: Readonly<Record<MeteredType, Quota>>;
}

/** Every proxy user of the account. Throws ProviderError. */
export const readProxyUsers = (
  client: ProviderClient,
  { signal }: Pick<ListingOptions, 'signal'>,
): AsyncGenerator<Page<ProxyUser>, void, undefined> =>
  readPages(client, SEARCH, {
    idField: 'proxy_user_id',
    decode: itemDecoder(userItem),
    signal,
  });

/**
 * The password of one user. It is searched for: of the API's documentation no other call answers with a user.
 * Throws ProviderError, not_found when the account has no such user or has deleted it.
 */
export const readProxyUserPassword = async (
  client: ProviderClient,
  id: string,
  signal?: AbortSignal,
): Promise<Secret> => {
  const query = { proxy_user_id: id };
  const pages = readPages(client, SEARCH, {
    query,
    idField: 'proxy_user_id',
    decode: itemDecoder(passwordItem),
    signal,
  });
  for await (const { items } of pages) {
    // Whether the provider filters by the id is not documented, so it is compared here.
    const user = items.find((item) => item.proxy_user_id === id && !item.proxy_user_is_deleted);
    if (user) return new Secret(user.proxy_user_password);
  }
  throw new ProviderError('not_found', SEARCH, `no proxy user "${id}" with a password is in use`);
};

const passwordItem = z.object({
  proxy_user_id: z.string(),
  proxy_user_password: z.string().min(1),
  proxy_user_is_deleted: z.boolean().nullish(),
});

// Absent values are filled in once at the end: a transform for each field takes as long as all the rest.
const userItem: z.ZodType<ProxyUser> = z
  .object({
    proxy_user_id: z.string().min(1),
    customer_id: z.int().nullish(),
    proxy_user_access_type: z.string().nullish(),
    proxy_user_is_default: z.boolean().nullish(),
    proxy_user_is_deleted: z.boolean().nullish(),
    proxy_user_is_strict_security: z.boolean().nullish(),
    proxy_user_enforce_https: z.boolean().nullish(),
    proxy_user_residential_bytes_limit: z.int().nullish(),
    proxy_user_residential_bytes_used: z.int().nullish(),
    proxy_user_mobile_bytes_limit: z.int().nullish(),
    proxy_user_mobile_bytes_used: z.int().nullish(),
  })
  .transform((user) => ({
    id: user.proxy_user_id,
    customerId: user.customer_id ?? null,
    accessType: user.proxy_user_access_type ?? '',
    isDefault: user.proxy_user_is_default ?? false,
    isDeleted: user.proxy_user_is_deleted ?? false,
    strictSecurity: user.proxy_user_is_strict_security ?? false,
    enforceHttps: user.proxy_user_enforce_https ?? false,
    quotas: {
      residential: {
        limitBytes: user.proxy_user_residential_bytes_limit ?? null,
        usedBytes: user.proxy_user_residential_bytes_used ?? null,
      },
      mobile: {
        limitBytes: user.proxy_user_mobile_bytes_limit ?? null,
        usedBytes: user.proxy_user_mobile_bytes_used ?? null,
      },
    },
  }));
