// Checks that the provider accepts the keys and allows the requests of the account's collectors.

import type { CollectorName } from '../../collectors/context.ts';
import { collectorsOf } from '../../daemon/settings.ts';
import { CUSTOMER_ENDPOINT } from '../../provider/customer.ts';
import type { ProviderError } from '../../provider/errors.ts';
import {
  type AccountSession,
  captureError,
  codesOf,
  hasSucceeded,
  isSuccess,
  mustStopRequests,
} from './account-session.ts';
import { adviceOn } from './advice.ts';
import { type CheckResult, failed, ok, unknown, warning } from './check-result.ts';
import { ENDPOINT_PROBES } from './endpoint-probes.ts';

const NOT_TRIED_COSTS_MONEY =
  'not tried, since each test costs; "proxywatch once --tests" makes a round of them';

const NOT_TRIED_NO_ITEM = 'not tried, because no configured or known item needs it';

/** Probes one endpoint after another, the one that names the customer first, until further requests are pointless. */
export async function* checkEndpoints(session: AccountSession): AsyncGenerator<CheckResult> {
  const { account, observations } = session;
  for (const [endpoint, collectors] of collectorsByEndpoint(session)) {
    const subject = `${account.name}: ${endpoint}`;
    const probe = ENDPOINT_PROBES[endpoint];
    if (probe === null) yield unknown(subject, NOT_TRIED_COSTS_MONEY);
    const wereKeysAccepted = hasSucceeded(observations);
    const error = await captureError(
      session,
      endpoint,
      async (signal) => void (await probe?.(session, signal)),
    );
    if (hasSucceeded(observations) && !wereKeysAccepted)
      yield ok(`${account.name}: keys`, `taken by ${endpoint}`);
    const codes = codesOf(observations, endpoint);
    if (error) yield failureFinding(subject, error, collectors, mustStopRequests(session));
    else if (codes.length > 0) yield answerFinding(subject, codes);
    else if (probe !== null) yield unknown(subject, NOT_TRIED_NO_ITEM);
    if (mustStopRequests(session)) return;
  }
}

/** Maps endpoints to the collectors that call them; an endpoint called only to learn the customer has no collectors. */
const collectorsByEndpoint = ({ account }: AccountSession): Map<string, string[]> => {
  const byEndpoint = new Map<string, string[]>([[CUSTOMER_ENDPOINT, []]]);
  for (const { collector } of collectorsOf(account)) {
    for (const endpoint of collector.endpoints.filter((endpoint) => isNeeded(endpoint, collector.name))) {
      byEndpoint.set(endpoint, [...(byEndpoint.get(endpoint) ?? []), collector.name]);
    }
  }
  return byEndpoint;
};

const isNeeded = (endpoint: string, collector: CollectorName): boolean => {
  if (endpoint === CUSTOMER_ENDPOINT) return collector === 'proxy_users';
  // The sources of tested proxies have a check of their own.
  return collector !== 'proxy_tests' || endpoint === 'proxy_test_run/create';
};

/** A request may have succeeded only at the second or third attempt, which is a warning. */
const answerFinding = (subject: string, codes: readonly string[]): CheckResult => {
  const failures = codes.filter((code) => !isSuccess(code));
  return failures.length === 0
    ? ok(subject, 'answers')
    : warning(subject, `answers, but after ${failures.join(', ')}`, 'look again whether that stays so');
};

const failureFinding = (
  subject: string,
  error: ProviderError,
  collectors: readonly string[],
  isLast: boolean,
): CheckResult => {
  const found = `${error.message.replace(`${error.endpoint}: `, '')}${isLast ? ' (nothing else was asked)' : ''}`;
  // No collector needs this endpoint except to learn the customer, and they run without it.
  if (collectors.length === 0 && error.status === 403) {
    const advice = 'it will not be noticed when the keys become those of another customer';
    return warning(subject, `${found}, so the customer is not known`, advice);
  }
  return failed(subject, found, adviceOn(error, collectors));
};
