// Finds the customer that an account's keys belong to. No endpoint reports it directly, but proxy users carry it.

import { z } from 'zod';
import type { ProviderClient } from './client.ts';
import { nullable, numericId } from './schema.ts';

export const CUSTOMER_ENDPOINT = 'proxy_user/search';

const answer = z.object({ data: z.array(z.object({ customer_id: nullable(numericId) })) });

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
  const { data } = await client.get(CUSTOMER_ENDPOINT, { query, schema: answer, signal, isOptional });
  return data[0]?.customer_id ?? null;
};
