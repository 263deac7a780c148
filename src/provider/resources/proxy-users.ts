// Reads proxy users with their quotas, passwords and addresses of single users, and the customer that they carry (proxy_user/search).

import { z } from 'zod';
import { Secret } from '../../lib/secret.ts';
import type { ProviderClient } from '../client.ts';
import { otherAnswer, ProviderError } from '../errors.ts';
import { metadataOf } from '../metadata.ts';
import { PER_PAGE } from '../page-request.ts';
import { type ListingOptions, type Pages, readPages } from '../pages.ts';
import {
  countInvalidValue,
  integerOf,
  itemDecoder,
  nullable,
  numericId,
  textOf,
  withoutInvalid,
} from '../schema.ts';
import { MAX_DATETIME_LENGTH } from '../time.ts';

const SEARCH = 'proxy_user/search';
/** The endpoint that shows which customer the keys belong to. */
export const CUSTOMER_ENDPOINT = SEARCH;

/** A proxy user without its password, which is dropped when the answer is decoded. */
export type ProxyUser = NonNullable<ReturnType<typeof decodeUser>>;

/** Reads all proxy users of the account, with these keys of their metadata. Throws ProviderError. */
export const readProxyUsers = (
  client: ProviderClient,
  { signal, progress }: Pick<ListingOptions, 'signal' | 'progress'>,
  metadataKeys: readonly string[] = [],
): Pages<ProxyUser> =>
  readPages(client, SEARCH, {
    idField: 'proxy_user_id',
    decode: (item) => decodeUser(item, metadataKeys),
    signal,
    progress,
  });

/**
 * Reads the password of one user. It searches for the user, because the API's documentation has no other call that
 * returns users. Throws ProviderError: not_found if the account has no such user or has deleted it.
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
    // It is not documented whether the provider filters by the id, so the id is compared here.
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

/**
 * Reads the addresses by which a user authenticates; empty if there is no such user. Throws ProviderError, after the first failure:
 * bad_response also if the provider ignores the filter.
 */
export const readClientAddresses = async (
  client: ProviderClient,
  id: string,
  signal: AbortSignal,
): Promise<readonly string[]> => {
  const query = { proxy_user_id: id, page: 1, per_page: PER_PAGE };
  const { data } = await client.get(SEARCH, { query, schema: addressesPage, signal, isOptional: true });
  const found = data.find((item) => item.proxy_user_id === id);
  if (!found && data.length > 0) throw otherAnswer(SEARCH, 'proxy user', id);
  return found?.ip_address_authentications ?? [];
};

const addressesPage = z.object({
  data: z.array(
    z.object({ proxy_user_id: z.string(), ip_address_authentications: z.array(z.string()).nullish() }),
  ),
});

/** No endpoint reports the customer that the keys belong to, but proxy users carry it. */
const customerPage = z.object({ data: z.array(z.object({ customer_id: nullable(numericId) })) });

/**
 * Returns the customer id of the account; null if it has no proxy user that carries one. Throws ProviderError, after the
 * first failure if the answer is optional.
 */
export const readCustomer = async (
  client: ProviderClient,
  signal: AbortSignal,
  isOptional = true,
): Promise<number | null> => {
  const query = { page: 1, per_page: 1, sort_by: 'proxy_user_id' };
  const { data } = await client.get(SEARCH, { query, schema: customerPage, signal, isOptional });
  return data[0]?.customer_id ?? null;
};

type Item = Readonly<Record<string, unknown>>;
/** Any field except the id may be null, missing or of another type. */
type UserItem = Item & { readonly proxy_user_id: string };

/** Decodes by hand instead of by a schema, because there may be 100,000 users. Returns null for an invalid item. */
const decodeUser = (item: unknown, metadataKeys: readonly string[]) => {
  if (!isUser(item)) return null;
  const metadata = metadataKeys.length > 0 && metadataOf(item.proxy_user_metadata, metadataKeys);
  return {
    id: item.proxy_user_id,
    customerId: integerOf(item.customer_id, 0),
    /** An open set, empty if not given: `all`, `service_restricted`, `proxy_restricted`. */
    accessType: textOf(item.proxy_user_access_type) ?? '',
    isDefault: isSet(item.proxy_user_is_default),
    isDeleted: isSet(item.proxy_user_is_deleted),
    strictSecurity: isSet(item.proxy_user_is_strict_security),
    enforceHttps: isSet(item.proxy_user_enforce_https),
    /** A limit is null if unlimited, undefined if not given. The meaning of 0 is not documented. Use is null if not given. */
    quotas: {
      residential: {
        limitBytes: bytesOf(item.proxy_user_residential_bytes_limit),
        usedBytes: bytesOf(item.proxy_user_residential_bytes_used) ?? null,
      },
      mobile: {
        limitBytes: bytesOf(item.proxy_user_mobile_bytes_limit),
        usedBytes: bytesOf(item.proxy_user_mobile_bytes_used) ?? null,
      },
    },
    /** With the listed keys of the metadata only. */
    details: { ...detailsOf(item), ...(metadata && { metadata }) },
  };
};

/**
 * Whether the item has an id, and its quotas are valid if they are given. If invalid quotas were left out, the user
 * would seem to have no limit.
 */
const isUser = (item: unknown): item is UserItem => {
  if (typeof item !== 'object' || item === null) return false;
  const user = item as Item;
  return (
    typeof user.proxy_user_id === 'string' &&
    user.proxy_user_id !== '' &&
    isIntegerIfGiven(user.proxy_user_residential_bytes_limit) &&
    isIntegerIfGiven(user.proxy_user_residential_bytes_used) &&
    isIntegerIfGiven(user.proxy_user_mobile_bytes_limit) &&
    isIntegerIfGiven(user.proxy_user_mobile_bytes_used)
  );
};

/** A missing flag counts as not set. */
const isSet = (value: unknown): boolean => {
  if (typeof value !== 'boolean' && value !== undefined && value !== null) countInvalidValue();
  return value === true;
};

const isIntegerIfGiven = (value: unknown): boolean =>
  value === undefined || value === null || Number.isSafeInteger(value);

/** Keeps null apart from undefined, because null means no limit. A negative number of bytes counts as not given. */
const bytesOf = (value: unknown): number | null | undefined => {
  if (value === null || value === undefined) return value;
  if ((value as number) >= 0) return value as number;
  countInvalidValue();
  return undefined;
};

/** A value is null if the provider did not give it. An invalid one is left out and counted. */
const detailsOf = (item: Item) => ({
  /** As given, in the provider's zone unless it names an offset. It is converted only when shown, because a poll may read 100,000 users. */
  createdAt: datetimeOf(item.proxy_user_creation_datetime),
  updatedAt: datetimeOf(item.proxy_user_last_update_datetime),
  /** By how many addresses the user may authenticate, and by how many it does. */
  addressLimit: integerOf(item.proxy_user_ip_address_authentication_limit, 0),
  addresses: lengthOf(item.ip_address_authentications),
  /** How many proxies and services the user is restricted to. */
  restrictedProxies: lengthOf(item.restricted_proxy_ids),
  restrictedServices: lengthOf(item.restricted_service_ids),
});

/** Checks only the length; the text is parsed when it is shown. */
const datetimeOf = (value: unknown): string | null =>
  typeof value === 'string' && value.length <= MAX_DATETIME_LENGTH ? value : withoutInvalid(value);

const lengthOf = (value: unknown): number | null =>
  Array.isArray(value) ? value.length : withoutInvalid(value);
