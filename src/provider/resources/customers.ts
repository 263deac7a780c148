// Reads what the provider says of the customer as a whole (customer/retrieve), and of the bytes of a product type
// (residential/summary, mobile/summary).

import { z } from 'zod';
import type { MeteredType } from '../../lib/product-types.ts';
import type { ProviderClient } from '../client.ts';
import type { SignalOption } from '../request.ts';
import {
  amount,
  count,
  fields,
  nullable,
  numericId,
  text,
  type Validity,
  wholeNumber,
  withInvalidity,
} from '../schema.ts';

const flag = nullable(z.boolean());

/** A value is null if the provider did not give it. The answer also has personal data, which is not decoded. */
const customer = fields({
  customerId: ['customer_id', nullable(numericId)],
  /** In cents. */
  credit: ['credit_balance', nullable(amount)],
  residentialLeftBytes: ['residential_bytes_left', nullable(wholeNumber)],
  mobileLeftBytes: ['mobile_bytes_left', nullable(wholeNumber)],
  proxies: ['proxy_count', nullable(count)],
  userLimit: ['customer_proxy_user_limit', nullable(count)],
  isResidentialPaused: ['active_residential_service_subscription_is_paused', flag],
  isMobilePaused: ['active_mobile_service_is_paused', flag],
  /** How far the customer is verified. The values are not documented. */
  kycLevel: ['customer_kyc_level', text],
  isKycPending: ['kyc_is_pending', flag],
  isTrialPending: ['free_trial_is_pending', flag],
});

export type Customer = z.output<typeof customer>;

const summaryOf = (type: MeteredType) =>
  fields({
    boughtBytes: [`${type}_bytes`, nullable(wholeNumber)],
    leftBytes: [`${type}_bytes_left`, nullable(wholeNumber)],
    usedBytes: [`${type}_bytes_used`, nullable(wholeNumber)],
  });

type Summary = z.output<ReturnType<typeof summaryOf>>;

/** Reads the customer of the keys. Throws ProviderError. */
export const readCustomerState = async (
  client: ProviderClient,
  { signal }: SignalOption,
): Promise<Customer & Validity> => {
  const schema = withInvalidity(z.object({ data: customer }));
  const { value, hasInvalidValue } = await client.get('customer/retrieve', { schema, signal });
  return { ...value.data, hasInvalidValue };
};

/**
 * Reads the sums of a product type. Throws ProviderError: an account without such services gets 403, 404 or 422, which is
 * no rejection of the keys.
 */
export const readSummary = async (
  client: ProviderClient,
  type: MeteredType,
  { signal }: SignalOption,
): Promise<Summary & Validity> => {
  const schema = withInvalidity(z.object({ data: summaryOf(type) }));
  const options = { schema, signal, mayBeAbsent: true };
  const { value, hasInvalidValue } = await client.get(`${type}/summary`, options);
  return { ...value.data, hasInvalidValue };
};
