// Proxy users and their quotas: proxy_user/search.

import { z } from 'zod';
import type { MeteredType } from '../lib/product-types.ts';
import type { ProviderClient } from './client.ts';
import { type ListingOptions, type Page, readPages } from './pages.ts';
import { itemDecoder } from './schema.ts';

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
  readPages(client, 'proxy_user/search', {
    idField: 'proxy_user_id',
    decode: itemDecoder(userItem),
    signal,
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
