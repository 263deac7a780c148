// Whether the keys are taken, and may ask what the account's collectors ask.

import type { CollectorName } from '../../collectors/context.ts';
import { collectorsOf } from '../../daemon/settings.ts';
import { CUSTOMER_ENDPOINT } from '../../provider/customer.ts';
import type { ProviderError } from '../../provider/errors.ts';
import { adviceOn } from './advice.ts';
import { type Finding, failed, ok, unknown, warning } from './finding.ts';
import { QUESTIONS } from './questions.ts';
import { codesOf, errorOf, hasSucceeded, isLeftAlone, isSuccess, type Visit } from './visit.ts';

const NOT_FOR_FREE = 'not tried, since each test costs; "proxywatch once --tests" makes a round of them';

const NOTHING_TO_ASK = 'not tried, because no configured or known item needs it';

/** Asks one endpoint after another, the one that tells the customer first, as long as there is use in it. */
export async function* checkEndpoints(visit: Visit): AsyncGenerator<Finding> {
  const { account, notes } = visit;
  for (const [endpoint, collectors] of usersByEndpoint(visit)) {
    const subject = `${account.name}: ${endpoint}`;
    const question = QUESTIONS[endpoint];
    if (question === null) yield unknown(subject, NOT_FOR_FREE);
    const wereKeysTaken = hasSucceeded(notes);
    const error = await errorOf(visit, endpoint, async (signal) => void (await question?.(visit, signal)));
    if (hasSucceeded(notes) && !wereKeysTaken) yield ok(`${account.name}: keys`, `taken by ${endpoint}`);
    const codes = codesOf(notes, endpoint);
    if (error) yield refused(subject, error, collectors, isLeftAlone(visit));
    else if (codes.length > 0) yield answered(subject, codes);
    else if (question !== null) yield unknown(subject, NOTHING_TO_ASK);
    if (isLeftAlone(visit)) return;
  }
}

/** Collectors by the endpoints that they call; one that is called only to know the customer has none. */
const usersByEndpoint = ({ account }: Visit): Map<string, string[]> => {
  const users = new Map<string, string[]>([[CUSTOMER_ENDPOINT, []]]);
  for (const { collector } of collectorsOf(account)) {
    for (const endpoint of collector.endpoints.filter((endpoint) => isNeeded(endpoint, collector.name))) {
      users.set(endpoint, [...(users.get(endpoint) ?? []), collector.name]);
    }
  }
  return users;
};

const isNeeded = (endpoint: string, collector: CollectorName): boolean => {
  if (endpoint === CUSTOMER_ENDPOINT) return collector === 'proxy_users';
  // Where tested proxies are to be found is looked into by itself.
  return collector !== 'proxy_tests' || endpoint === 'proxy_test_run/create';
};

/** What answered in the end may have done so at the second or third attempt. */
const answered = (subject: string, codes: readonly string[]): Finding => {
  const failures = codes.filter((code) => !isSuccess(code));
  return failures.length === 0
    ? ok(subject, 'answers')
    : warning(subject, `answers, but after ${failures.join(', ')}`, 'look again whether that stays so');
};

const refused = (
  subject: string,
  error: ProviderError,
  collectors: readonly string[],
  isLast: boolean,
): Finding => {
  const found = `${error.message.replace(`${error.endpoint}: `, '')}${isLast ? ' (nothing else was asked)' : ''}`;
  // Nobody needs this endpoint but to learn the customer, and collectors go on without.
  if (collectors.length === 0 && error.status === 403) {
    const advice = 'it will not be noticed when the keys become those of another customer';
    return warning(subject, `${found}, so the customer is not known`, advice);
  }
  return failed(subject, found, adviceOn(error, collectors));
};
