// Makes the tests that a user asks for: of one proxy, or of a batch of proxies that shows whether a target or a tester works.
//
// They run with all targets and testers, because the comparison shows what is at fault. A call costs the same anyway.

import { MAX_PROXIES_PER_RUN } from '../../provider/resources/proxy-tests.ts';
import type { AttributedResult } from '../../store/test-store.ts';
import type { TestNow, TestPlan, TestSubject } from '../collector.ts';
import type { ReadContext } from '../context.ts';
import { verifyCustomer } from '../customer.ts';
import { sortByLastTest } from '../day-budget.ts';
import { withLines } from '../proxy-sources/tested-proxies.ts';
import type { TrackedSource } from '../proxy-sources/tracked-source.ts';
import { RunBudget } from './budget/run-budget.ts';
import { type TestableProxy, testUnstored } from './call.ts';
import type { ProxyTestOptions } from './options.ts';
import { type Candidate, usableRuns } from './planner.ts';
import { readPlannerInput } from './planner-input.ts';
import { listTesters } from './summaries.ts';
import { urlsOf } from './targets.ts';

type Sources = readonly TrackedSource[];
type Testable = TestableProxy & Candidate;

export const NO_PROXY =
  'proxywatch knows the password of no such proxy before the first round of the schedule; try again after it';

interface Choice {
  readonly plan: TestPlan;
  readonly batch: readonly Testable[];
  readonly price: NonNullable<TestPlan['price']>;
}

type Tests = TestNow<ProxyTestOptions, Sources>;

export const planTest: Tests['plan'] = async (context, sources, subject) =>
  (await choose(context, sources, subject))?.plan;

/** Throws ProviderError and StoreError. */
export const testNow: Tests['run'] = async (context, sources, { subject, proxies, onResults }) => {
  await verifyCustomer(context);
  // The round before which the tests waited has used the budget too.
  const choice = await choose(context, sources, subject, proxies);
  if (!choice) return [NO_PROXY];
  const { batch, price, plan } = choice;
  const reservation = new RunBudget(context, price.left, price.amount).reserve();
  if (plan.refusal !== null || !reservation) return [plan.refusal ?? NO_PROXY];
  const results = await testUnstored(context, batch, reservation);
  onResults(results.map((result) => ({ ...result, error: errorOf(result) })));
  return [];
};

/** As in the list of failures: the source, and the code if there is one. */
const errorOf = ({ isSuccessful, errorSource, errorCode }: AttributedResult): string | null =>
  isSuccessful ? null : [errorSource, errorCode].filter((word) => word !== null).join(': ') || null;

const choose = async (
  context: ReadContext<ProxyTestOptions>,
  sources: Sources,
  subject: TestSubject,
  planned?: readonly string[],
): Promise<Choice | undefined> => {
  const { clock, options } = context;
  const { proxies, budget, spent } = await readPlannerInput(context);
  const testers = options.tester_servers.length || (await listTesters(context)).length;
  if (!(await isTested(context, subject, proxies))) return undefined;
  const found = sources.flatMap((source) => source.proxies);
  const wanted = proxies.filter(
    ({ id }) => (subject.kind !== 'proxy' || id === subject.id) && planned?.includes(id) !== false,
  );
  const batch = batchOf(withLines(wanted, options, found));
  const price = {
    unit: 'runs' as const,
    amount: budget.runsPerCall,
    left: usableRuns(budget, spent, clock.now()),
  };
  const isAffordable = price.amount <= price.left;
  const plan = {
    proxies: batch.map(({ id }) => id),
    leftOut: null,
    testsPerProxy: testers === 0 ? null : urlsOf(options).length * testers,
    price,
    refusal: batch.length === 0 ? NO_PROXY : isAffordable ? null : noRuns(price, budget.maxRunsPerDay),
  };
  return { plan, batch, price };
};

const noRuns = ({ amount, left }: NonNullable<TestPlan['price']>, limit: number): string =>
  `max_runs_per_day allows no test now: a test costs ${amount} test runs, and ${left} of ${limit} are left. Test runs stop counting after 24 hours`;

const isTested = async (
  context: ReadContext<ProxyTestOptions>,
  { kind, id }: TestSubject,
  proxies: readonly Candidate[],
): Promise<boolean> => {
  const { options } = context;
  if (kind === 'proxy') return proxies.some((proxy) => proxy.id === id);
  if (kind === 'target') return urlsOf(options).some(({ label }) => label === id);
  const { tester_servers: configured } = options;
  return configured.length > 0
    ? configured.includes(id)
    : (await listTesters(context)).some((tester) => tester.id === id);
};

/** Returns the longest untested proxies, which are a fair sample of all. */
const batchOf = (proxies: readonly Testable[]): Testable[] => {
  const byEndpoint = new Map(
    sortByLastTest(proxies)
      .toReversed()
      .map((each) => [each.endpointKey, each]),
  );
  return [...byEndpoint.values()].toReversed().slice(0, MAX_PROXIES_PER_RUN);
};
