// Advises the operator on what to do about an error from the provider.

import type { ProviderError } from '../../provider/errors.ts';

/** `collectors` are those that the operator could turn off to avoid the error. */
export const adviceOn = (
  { kind, status, needsSecondFactor }: ProviderError,
  collectors: readonly string[],
): string => {
  if (needsSecondFactor) return SECOND_FACTOR_ADVICE;
  if (kind === 'forbidden') {
    const factor = status === 499 ? ' The account possibly requires a second factor.' : '';
    const orElse = collectors.length === 0 ? '' : `, or turn off ${collectors.join(' and ')}`;
    return `The keys are valid, but may not use this endpoint.${factor} Ask the provider to allow it${orElse}.`;
  }
  return ADVICE[kind];
};

const SECOND_FACTOR_ADVICE =
  'The keys are valid, but the account has two-factor authentication for the API, and a program has no second factor. Turn it off for the API in the account’s settings at the provider, or ask the provider for keys without it.';

const ADVICE: Readonly<Record<Exclude<ProviderError['kind'], 'forbidden'>, string>> = {
  auth: 'The provider does not know the keys. Correct public_key and private_key, or base_url if the keys belong to another provider.',
  rate_limited:
    'Lower requests_per_second, or find other programs that use these keys, such as a running daemon. Then run doctor again.',
  rejected:
    'Correct the setting that the message names. If the message names no setting, report a bug of proxywatch.',
  not_found:
    'Check that base_url ends with the version of the API, such as /1.0, and that the ids in the configuration exist.',
  server:
    'The provider has a problem. Run doctor again later. If the error remains, ask the support of the provider.',
  network: 'Check base_url. Check that DNS and firewalls allow this machine to connect to that address.',
  timeout: 'Check that firewalls allow this machine to connect to base_url, or raise request_timeout.',
  bad_response:
    'Check that base_url is the address of the API, and that no other server answers at this address.',
};
