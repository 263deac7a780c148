// Creates an account's client for the provider's API from its settings.

import { createProviderClient, type ProviderClient } from '../provider/client.ts';
import type { ProviderClientOptions } from '../provider/client-options.ts';
import type { Account } from './settings.ts';

export const createAccountClient = (
  { base_url, public_key, private_key, requests_per_second, request_timeout }: Account,
  options: Pick<ProviderClientOptions, 'clock' | 'userAgent' | 'observer' | 'endpoints'>,
): ProviderClient =>
  createProviderClient({
    baseUrl: base_url,
    keys: { publicKey: public_key, privateKey: private_key },
    requestsPerSecond: requests_per_second,
    requestTimeoutMs: request_timeout,
    ...options,
  });
