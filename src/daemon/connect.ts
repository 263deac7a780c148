// An account's client of the provider's API, by its settings.

import { createProviderClient, type ProviderClient } from '../provider/client.ts';
import type { ProviderClientOptions } from '../provider/client-parts.ts';
import type { Account } from './settings.ts';

export const connectTo = (
  { base_url, public_key, private_key, requests_per_second, request_timeout }: Account,
  surroundings: Pick<ProviderClientOptions, 'clock' | 'userAgent' | 'observer' | 'endpoints'>,
): ProviderClient =>
  createProviderClient({
    baseUrl: base_url,
    keys: { publicKey: public_key, privateKey: private_key },
    requestsPerSecond: requests_per_second,
    requestTimeoutMs: request_timeout,
    ...surroundings,
  });
