// Proxy users, their quotas and passwords: proxy_user/search.

import { z } from 'zod';
import type { MeteredType } from '../lib/product-types.ts';
import { Secret } from '../lib/secret.ts';
import type { ProviderClient } from './client.ts';
import { ProviderError } from './errors.ts';
import { type ListingOptions, type Page, readPages } from './pages.ts';
import { type DetailItem, detailsOf, type ProxyUserDetails } from './proxy-user-details.ts';
import { itemDecoder } from './schema.ts';

const SEARCH = 'proxy_user/search';

export interface Quota {
  /** Null when unlimited, undefined when not given; what 0 means is not documented. */
  readonly limitBytes: number | null | undefined;
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
  readonly details: ProxyUserDetails;
}

/** Every proxy user of the account. Throws ProviderError. */
export const readProxyUsers = (
  client: ProviderClient,
  { signal, progress }: Pick<ListingOptions, 'signal' | 'progress'>,
): AsyncGenerator<Page<ProxyUser>, void, undefined> =>
  readPages(client, SEARCH, {
    idField: 'proxy_user_id',
    decode: decodeUser,
    signal,
    progress,
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

/** An item as documented, of which any field but the id may be null or left out. */
interface UserItem extends DetailItem {
  readonly proxy_user_id: string;
  readonly customer_id?: number | null;
  readonly proxy_user_access_type?: string | null;
  readonly proxy_user_is_default?: boolean | null;
  readonly proxy_user_is_deleted?: boolean | null;
  readonly proxy_user_is_strict_security?: boolean | null;
  readonly proxy_user_enforce_https?: boolean | null;
  readonly proxy_user_residential_bytes_limit?: number | null;
  readonly proxy_user_residential_bytes_used?: number | null;
  readonly proxy_user_mobile_bytes_limit?: number | null;
  readonly proxy_user_mobile_bytes_used?: number | null;
}

/** By hand and not by a schema, for there may be 100,000 of them; null for what is not as documented. */
const decodeUser = (item: unknown): ProxyUser | null => {
  if (!isUser(item)) return null;
  return {
    id: item.proxy_user_id,
    customerId: item.customer_id ?? null,
    accessType: item.proxy_user_access_type ?? '',
    isDefault: item.proxy_user_is_default ?? false,
    isDeleted: item.proxy_user_is_deleted ?? false,
    strictSecurity: item.proxy_user_is_strict_security ?? false,
    enforceHttps: item.proxy_user_enforce_https ?? false,
    quotas: {
      residential: {
        limitBytes: item.proxy_user_residential_bytes_limit,
        usedBytes: item.proxy_user_residential_bytes_used ?? null,
      },
      mobile: {
        limitBytes: item.proxy_user_mobile_bytes_limit,
        usedBytes: item.proxy_user_mobile_bytes_used ?? null,
      },
    },
    details: detailsOf(item),
  };
};

const isUser = (item: unknown): item is UserItem => {
  if (typeof item !== 'object' || item === null) return false;
  const user = item as Readonly<Partial<Record<keyof UserItem, unknown>>>;
  return (
    typeof user.proxy_user_id === 'string' &&
    user.proxy_user_id !== '' &&
    isIntegerIfGiven(user.customer_id) &&
    isIfGiven('string', user.proxy_user_access_type) &&
    isIfGiven('boolean', user.proxy_user_is_default) &&
    isIfGiven('boolean', user.proxy_user_is_deleted) &&
    isIfGiven('boolean', user.proxy_user_is_strict_security) &&
    isIfGiven('boolean', user.proxy_user_enforce_https) &&
    isIntegerIfGiven(user.proxy_user_residential_bytes_limit) &&
    isIntegerIfGiven(user.proxy_user_residential_bytes_used) &&
    isIntegerIfGiven(user.proxy_user_mobile_bytes_limit) &&
    isIntegerIfGiven(user.proxy_user_mobile_bytes_used)
  );
};

const isIfGiven = (type: 'string' | 'boolean', value: unknown): boolean =>
  value === null || value === undefined || typeof value === type;

const isIntegerIfGiven = (value: unknown): boolean =>
  value === null || value === undefined || Number.isSafeInteger(value);
