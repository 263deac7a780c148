// Advises the operator on what to do about an error from the provider.

import type { ProviderError } from '../../provider/errors.ts';

/** `collectors` are those that the operator could turn off to avoid the error. */
export const adviceOn = ({ kind, status }: ProviderError, collectors: readonly string[]): string => {
  if (kind === 'forbidden') {
    const factor = status === 499 ? ' (it may ask for a second factor)' : '';
    const orElse = collectors.length === 0 ? '' : `, or turn off ${collectors.join(' and ')}`;
    return `the keys are known, but not allowed this${factor}: have the provider allow it${orElse}`;
  }
  return ADVICE[kind];
};

const ADVICE: Readonly<Record<Exclude<ProviderError['kind'], 'forbidden'>, string>> = {
  auth: 'the provider does not know the keys: correct public_key and private_key, or base_url if it belongs to another provider',
  rate_limited:
    'lower requests_per_second, look what else uses these keys (a daemon that runs counts too), and try again later',
  rejected: 'correct what the answer names in the configuration, else report it',
  not_found:
    'see that base_url ends with the version, such as /1.0, and that the ids of the configuration are there',
  server: "that is the provider's fault: try again, and ask its support if it stays",
  network: 'see that base_url is right and can be reached from here (DNS, firewall)',
  timeout: 'see that base_url can be reached from here (firewall), or raise request_timeout',
  bad_response: 'see that base_url is the address of the API, and that nothing in between answers for it',
};
