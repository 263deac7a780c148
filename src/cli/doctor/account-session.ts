// Holds what the checks of one account share: its client, the observations so far, and advice about errors.

import { createAccountClient } from '../../daemon/account-client.ts';
import type { Account, Settings } from '../../daemon/settings.ts';
import { systemClock } from '../../lib/clock.ts';
import { MINUTE } from '../../lib/time.ts';
import { ProviderError } from '../../provider/errors.ts';
import { AccountReport } from '../../provider/report/account-report.ts';
import type { Store } from '../../store/store.ts';
import type { NumbersByAccount } from '../known-numbers.ts';

/** How long one check waits in total, including retries and the pauses that the provider asks for. */
const TIMEOUT_MS = MINUTE;

/** What all checks share. */
export interface DoctorContext {
  readonly settings: Settings;
  /** What the store knows of the accounts. */
  readonly numbers: NumbersByAccount;
  /** A temporary store for data that the checks' reads need to save. */
  readonly scratch: Store;
  readonly signal: AbortSignal;
  readonly version: string;
  /** The provider reports of the accounts so far. */
  readonly reports: AccountReport[];
}

export type AccountSession = ReturnType<typeof openSession>;

/** Information from the answers that later checks use. */
interface Observations {
  /** Every request so far; `code` is an HTTP status, or `timeout`, `network` or `bad_response`. */
  readonly requests: { readonly endpoint: string; readonly code: string }[];
  /** The provider's clock minus ours (ms), answer by answer. */
  readonly clockOffsets: number[];
  /** Starts of the minutes with traffic, ascending, by their labels read as if they were in UTC (ms). */
  minutes?: readonly number[];
  /** Null if no proxy user names the customer. */
  customerId?: number | null;
  /** Whether the server at base_url does not answer as the provider's API does. */
  isWrongServer?: boolean;
  /** Id of any purchased service, and address of any proxy. */
  serviceId?: string | null | undefined;
  address?: string | null | undefined;
}

export const openSession = (context: DoctorContext, account: Account) => {
  const observations: Observations = { requests: [], clockOffsets: [] };
  const report = new AccountReport(account.time_zone);
  context.reports.push(report);
  const client = createAccountClient(account, {
    clock: systemClock,
    userAgent: `proxywatch/${context.version}`,
    observer: {
      onResponse: ({ endpoint, code }) => {
        observations.requests.push({ endpoint, code });
        report.requestEnded(endpoint, code);
      },
      onServerDate: (offsetMs) => {
        observations.clockOffsets.push(offsetMs);
        report.clockMeasured(offsetMs);
      },
      onAnswer: (answer) => report.observe(answer),
    },
  });
  return {
    ...context,
    account,
    client,
    observations,
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
};

/** Returns the ProviderError of the request; undefined if it succeeded. Throws other errors, and the reason of the signal. */
export const captureError = async (
  { signal, observations }: AccountSession,
  endpoint: string,
  request: (signal: AbortSignal) => Promise<void>,
): Promise<ProviderError | undefined> => {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  try {
    await request(AbortSignal.any([signal, timeout]));
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ProviderError) return error;
    if (!timeout.aborted) throw error;
    const isRefused = observations.requests.at(-1)?.code === '429';
    const what = 'no answer within a minute, including retries and pauses';
    return new ProviderError(isRefused ? 'rate_limited' : 'timeout', endpoint, what);
  }
};

export const codesOf = ({ requests }: Observations, endpoint: string): string[] =>
  requests.filter((request) => request.endpoint === endpoint).map(({ code }) => code);

export const isSuccess = (code: string): boolean => code.startsWith('2');

export const hasSucceeded = ({ requests }: Observations): boolean =>
  requests.some(({ code }) => isSuccess(code));

/** Whether further requests would end like the last: nothing or another server answers, the keys are unknown, or 429. */
export const mustStopRequests = ({ observations }: AccountSession): boolean => {
  const code = observations.requests.at(-1)?.code;
  const isRefused = code === '401' || observations.isWrongServer || !hasAnswered(observations);
  return code === '429' || (!hasSucceeded(observations) && isRefused);
};

/** Whether anything has answered, even with an error or with something that is not an answer of the API. */
export const hasAnswered = ({ requests }: Observations): boolean =>
  requests.some(({ code }) => code !== 'network' && code !== 'timeout');

/** Returns the current time by the provider's clock (ms), or by ours if its clock is not known. */
export const providerNow = ({ clockOffsets }: Observations): number =>
  systemClock.now() + (medianOf(clockOffsets) ?? 0);

export const medianOf = (values: readonly number[]): number | undefined =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

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
  // The message itself says what to do if the account lacks what the endpoint is about.
  return collectors.includes('mobile_ledger') && (kind === 'rejected' || kind === 'not_found')
    ? 'If the account has mobile services, ask the provider to allow it.'
    : ADVICE[kind];
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
