// Serves GET and POST /api/v1/accounts/{account}/test-now: what tests now would cost, and tests that a user asks for.

import { z } from 'zod';
import type { TestSubject } from '../../../collectors/collector.ts';
import type { DaemonView, PlannedTest, RequestedTest } from '../../daemon-view.ts';
import { count, flag, itemOf, orNull, rfc3339, text, time } from '../item.ts';
import { type ApiAction, ApiError, action, orUnstored, route } from '../route.ts';
import { findTested } from './subject-routes.ts';

const SUBJECTS = { proxy_id: 'proxy', url: 'target', tester_server: 'tester' } as const;

const price = z
  .strictObject({
    unit: z.enum(['runs', 'bytes']).describe('Test runs of the provider, or bytes of metered proxies'),
    amount: count.describe('Expected price'),
    left_before: count.describe('What is left of the budget of 24 hours'),
    left_after: count,
  })
  .meta({ id: 'TestPrice' });

const collector = z
  .enum(['proxy_tests', 'probes'])
  .describe('The testers of the provider, or the machine of proxywatch');

const collectorOf = (from: Pick<PlannedTest, 'collector'>) => from.collector as z.output<typeof collector>;

const { schema: plan, json: planJson } = itemOf<PlannedTest>()('PlannedTests', (from) => ({
  collector: from(collector, collectorOf),
  proxies: from(count, ({ proxies }) => proxies.length),
  left_out: orNull.text.describe('How many proxies the budget leaves out, and why. Null if none'),
  tests: from(
    orNull.count.describe('Null while the testers of the provider are not known'),
    ({ proxies, testsPerProxy }) => testsPerProxy && testsPerProxy * proxies.length,
  ),
  price: from(
    price.nullable().describe('Null if the tests cost nothing'),
    ({ price: of }) =>
      of && {
        unit: of.unit,
        amount: Math.ceil(of.amount),
        left_before: Math.floor(of.left),
        left_after: Math.max(0, Math.floor(of.left - of.amount)),
      },
  ),
  refusal: orNull.text.describe('Why these tests cannot be made now. Null if they can'),
}));

const { schema: result } = itemOf<RequestedTest['results'][number]>()('RequestedResult', (from) => ({
  collector: from(collector, collectorOf),
  proxy_id: from(text, 'proxy'),
  url: text,
  tester_server: from(text, 'tester'),
  success: from(flag, 'isSuccessful'),
  error: orNull.text.describe('Null if the test passed, or if no reason was given'),
}));

const { schema: requested, json: requestedJson } = itemOf<RequestedTest>()('RequestedTests', (from) => ({
  kind: from(z.enum(['proxy', 'target', 'tester']), ({ subject }) => subject.kind),
  id: from(text, ({ subject }) => subject.id),
  requested_at: time,
  started_at: orNull.time.describe(
    'Null while a round of the schedule is in progress, after which the tests begin',
  ),
  finished_at: orNull.time.describe('Null while the tests are in progress'),
  done: from(count.describe('Number of tests that have a result'), ({ results }) => results.length),
  total: orNull.count,
  errors: z.array(text).describe('Why tests have no result'),
  results: z.array(result).describe('They enter no verdict, fault, history or metric of results'),
}));

export const testNow = z
  .strictObject({
    plans: z.array(plan).describe('What tests now would make and cost. Empty without a subject'),
    last: requested.nullable().describe('Tests in progress, or the last ones since the start of the daemon'),
    next_round_at: orNull.time.describe(
      'When the next round of the schedule begins. Null if the account makes no tests',
    ),
  })
  .meta({ id: 'TestNow' });

const EXPECTED = 'expected one of proxy_id, url and tester_server';

const subjectShape = {
  proxy_id: z.string(EXPECTED).optional(),
  url: z.string(EXPECTED).optional().describe('Label of a target'),
  tester_server: z.string(EXPECTED).optional(),
};

type Given = { readonly [K in keyof typeof SUBJECTS]?: string | undefined };

/** Returns undefined if the request names none, and throws ApiError for several. A proxy can have the id of the inventory. */
const subjectOf = async (
  view: DaemonView,
  account: string,
  given: Given,
): Promise<TestSubject | undefined> => {
  const [first, second] = Object.entries(SUBJECTS).flatMap(([name, kind]) => {
    const id = given[name as keyof Given];
    return id === undefined ? [] : [{ name, kind, id }];
  });
  if (second) throw new ApiError(400, `${second.name}: ${EXPECTED}`);
  const proxy = first?.kind === 'proxy' ? await findTested(view, account, first.id) : undefined;
  return first && { kind: first.kind, id: proxy?.id ?? first.id };
};

const untested = (account: string, { kind, id }: TestSubject): ApiError => {
  const name = Object.entries(SUBJECTS).find(([, each]) => each === kind)?.[0];
  return new ApiError(404, `${name}: the account ${account} does not test the ${kind} ${JSON.stringify(id)}`);
};

const PATH = '/api/v1/accounts/{account}/test-now';

export const TEST_NOW_ROUTE = route({
  path: PATH,
  summary: 'What tests of a subject would make and cost now, and the last tests that a user asked for',
  query: subjectShape,
  answer: testNow,
  read: async ({ view, query, path: { account = '' } }) => {
    const subject = await subjectOf(view, account, query);
    const plans = subject ? await view.testsNow.plan(account, subject) : [];
    if (subject && plans.length === 0) throw untested(account, subject);
    const last = view.testsNow.last(account);
    return {
      plans: plans.map(planJson),
      last: last ? requestedJson(last) : null,
      next_round_at: rfc3339(view.testsNow.nextRoundAt(account)),
    };
  },
});

export const TEST_NOW_ACTION: ApiAction = action({
  method: 'POST',
  path: PATH,
  summary: 'Test a proxy now, or several proxies to find out whether a target or a tester works',
  body: z.strictObject(subjectShape, EXPECTED).meta({ id: 'NewTests' }),
  answer: requested,
  conflict: 'Other tests that a user asked for are in progress, or the budget does not allow these',
  perform: async ({ view, path: { account = '' }, body }) => {
    const subject = await subjectOf(view, account, body);
    if (!subject) throw new ApiError(400, EXPECTED);
    const started = await orUnstored(view.testsNow.start(account, subject));
    if (!started) throw untested(account, subject);
    if ('refusal' in started) throw new ApiError(409, started.refusal);
    return requestedJson(started);
  },
});
