// Checks that the provider accepts the keys and allows the collectors' requests, and checks testers and sources of proxies.

import { calledEndpoints } from '../../collectors/collector.ts';
import type { CollectorName } from '../../collectors/context.ts';
import { sourcesOf } from '../../collectors/proxy-sources/sources.ts';
import { accountSettings, collectorsOf } from '../../daemon/settings.ts';
import { systemClock } from '../../lib/clock.ts';
import { silentLog } from '../../lib/log.ts';
import {
  mayBeAbsent,
  mayBeWrongServer,
  ProviderError,
  WRONG_SERVER,
  WRONG_SERVER_ADVICE,
} from '../../provider/errors.ts';
import { readTesterIds, TESTERS_ENDPOINT } from '../../provider/resources/proxy-tests.ts';
import { CUSTOMER_ENDPOINT } from '../../provider/resources/proxy-users.ts';
import {
  type AccountSession,
  adviceOn,
  captureError,
  codesOf,
  hasSucceeded,
  isSuccess,
  mustStopRequests,
} from './account-session.ts';
import { type CheckResult, failed, ok, unknown, warning } from './check-result.ts';
import { ENDPOINT_PROBES } from './endpoint-probes.ts';

const NOT_TRIED_COSTS_MONEY = 'not tried, because each test costs test runs';
const HOW_TO_TEST = 'Run "proxywatch export once --tests" to make one round of tests.';

const NOT_TRIED_NO_ITEM = 'not tried, because the configuration and the account have no item to request';

/** If this many endpoints fail as if they did not exist, and none succeeds, the server is not the provider's API. */
const ENOUGH_MISSING_ENDPOINTS = 2;

/** Probes one endpoint after another, the one that names the customer first, until further requests are pointless. */
export async function* checkEndpoints(session: AccountSession): AsyncGenerator<CheckResult> {
  const { account, observations } = session;
  /** Failures that a wrong base_url may explain, held back until another endpoint has answered. */
  let missing: Failure[] = [];
  let hasOtherFailures = false;
  for (const [endpoint, collectors] of collectorsByEndpoint(session)) {
    const subject = `${account.name}: ${endpoint}`;
    const probe = ENDPOINT_PROBES[endpoint];
    if (probe === null) yield unknown(subject, NOT_TRIED_COSTS_MONEY, HOW_TO_TEST);
    const wereKeysAccepted = hasSucceeded(observations);
    const error = await captureError(
      session,
      endpoint,
      async (signal) => void (await probe?.(session, signal)),
    );
    if (hasSucceeded(observations) && !wereKeysAccepted) {
      yield ok(`${account.name}: keys`, `${endpoint} accepts them`);
      for (const failure of missing) yield failureFinding(failure, false);
      missing = [];
    }
    if (error && mayBeWrongServer(error) && !hasSucceeded(observations)) {
      missing.push({ subject, error, collectors });
      if (missing.length === ENOUGH_MISSING_ENDPOINTS) break;
      continue;
    }
    const codes = codesOf(observations, endpoint);
    if (error) {
      hasOtherFailures = true;
      yield failureFinding({ subject, error, collectors }, mustStopRequests(session));
    } else if (codes.length > 0) yield answerFinding(subject, codes);
    else if (probe !== null) yield unknown(subject, NOT_TRIED_NO_ITEM);
    if (mustStopRequests(session)) break;
  }
  if (hasOtherFailures) for (const failure of missing) yield failureFinding(failure, false);
  else if (missing.length > 0) {
    observations.isWrongServer = true;
    yield wrongServerFinding(account.name, missing);
  }
}

interface Failure {
  readonly subject: string;
  readonly error: ProviderError;
  readonly collectors: readonly string[];
}

const wrongServerFinding = (account: string, missing: readonly Failure[]): CheckResult => {
  const answers = missing.map(({ error }) => error.message).join('; ');
  return failed(`${account}: base_url`, `${WRONG_SERVER}: ${answers}`, WRONG_SERVER_ADVICE);
};

/** Maps endpoints to the collectors that call them; an endpoint called only to learn the customer has no collectors. */
const collectorsByEndpoint = ({ account }: AccountSession): Map<string, string[]> => {
  const byEndpoint = new Map<string, string[]>([[CUSTOMER_ENDPOINT, []]]);
  for (const { collector, options } of collectorsOf(account)) {
    for (const endpoint of calledEndpoints(collector, options as never)) {
      if (!isNeeded(endpoint, collector.name)) continue;
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
    : warning(
        subject,
        `answers, but first failed with ${failures.join(', ')}`,
        'Run doctor again later to see whether it still fails.',
      );
};

const failureFinding = ({ subject, error, collectors }: Failure, isLast: boolean): CheckResult => {
  const problem = error.message.replace(`${error.endpoint}: `, '');
  const found = `${problem}${isLast ? ' (no other endpoint was requested)' : ''}`;
  // No collector needs this endpoint except to learn the customer, and they run without it.
  if (collectors.length === 0 && error.status === 403) {
    const advice = 'proxywatch cannot notice if you replace the keys with the keys of another customer.';
    return warning(subject, `${found}, so the customer is not known`, advice);
  }
  return failed(subject, found, adviceOn(error, collectors));
};

type Source = ReturnType<typeof sourcesOf>[number];
type SourceList = Awaited<ReturnType<Source['list']>>;

/** Reads each source as a round of tests would, without testing; skips the provider's sources once requests are pointless. */
export async function* checkSources(session: AccountSession): AsyncGenerator<CheckResult> {
  const { account, client, settings, scratch } = session;
  if (!account.proxy_tests) return;
  const context = {
    ...{ account: accountSettings(account, settings), options: account.proxy_tests, store: scratch },
    ...{ client, clock: systemClock, log: silentLog, progress: () => {}, countContradiction: () => {} },
    probe: () => Promise.reject(new Error('doctor makes no probes')),
  };
  for (const source of sourcesOf(account.proxy_tests)) {
    const subject = `${account.name}: ${source.name}`;
    if (source.isFromProvider && session.observations.isWrongServer) continue;
    if (source.isFromProvider && mustStopRequests(session)) {
      yield unknown(subject, 'doctor did not read it, because earlier requests to the provider failed');
      continue;
    }
    let list: SourceList | undefined;
    const error = await captureError(session, source.name, async (signal) => {
      list = await source.list({ ...context, signal });
    });
    if (error) yield failed(subject, error.message, adviceOn(error, []));
    else if (list) yield findingOn(subject, list);
  }
}

const findingOn = (subject: string, { proxies, skipped, failure }: SourceList): CheckResult => {
  const found = `${proxies.length} proxies can be tested`;
  if (failure) {
    const { error } = failure;
    const advice = error instanceof ProviderError ? adviceOn(error, []) : 'Correct the file.';
    return failed(subject, `${found}, but ${error.message}`, advice);
  }
  if (skipped > 0) {
    return warning(
      subject,
      `${found}, but ${skipped} others cannot`,
      'Find the proxies without an address, a port or a password.',
    );
  }
  return proxies.length > 0
    ? ok(subject, found)
    : warning(subject, found, 'Check that this is the correct source, and that it contains proxies.');
};

/** Checks that the configured testers exist. Without a list of the provider's testers, nothing is known of them. */
export async function* checkTesters(session: AccountSession): AsyncGenerator<CheckResult> {
  const { account, client } = session;
  const wanted = account.proxy_tests ? account.proxy_tests.tester_servers : [];
  if (wanted.length === 0 || mustStopRequests(session)) return;
  const subject = `${account.name}: tester_servers`;
  let known: readonly string[] = [];
  const error = await captureError(session, TESTERS_ENDPOINT, async (signal) => {
    known = await readTesterIds(client, signal);
  });
  const missing = wanted.filter((id) => !known.includes(id));
  if (error && !mayBeAbsent(error)) yield failed(subject, error.message, adviceOn(error, []));
  else if (known.length === 0) yield unknown(subject, 'the provider does not list its testers');
  else if (missing.length === 0) yield ok(subject, 'the provider has all of them');
  else
    yield warning(
      subject,
      `the provider does not list ${missing.join(', ')}`,
      `Use some of ${known.join(', ')}.`,
    );
}
