// Whose the keys are: no endpoint says it outright, but proxy users carry it.

import { z } from 'zod';
import type { ProviderClient } from './client.ts';
import { nullable, wholeNumber } from './schema.ts';

export const CUSTOMER_ENDPOINT = 'proxy_user/search';

const answer = z.object({ data: z.array(z.object({ customer_id: nullable(wholeNumber) })) });

/** The customer behind the account's keys; null where it has no proxy user that tells. Throws ProviderError. */
export const readCustomer = async (client: ProviderClient, signal: AbortSignal): Promise<number | null> => {
  const query = { page: 1, per_page: 1, sort_by: 'proxy_user_id' };
  const { data } = await client.get(CUSTOMER_ENDPOINT, { query, schema: answer, signal, isOptional: true });
  return data[0]?.customer_id ?? null;
};
