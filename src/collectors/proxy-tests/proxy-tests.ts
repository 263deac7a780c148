// Proxy tests: has the provider test the proxies within the day's budget, and finds whose fault it is.

import { forEachLimited } from '../../lib/parallel.ts';
import { CUSTOMER_ENDPOINT } from '../../provider/customer.ts';
import { ProviderError } from '../../provider/errors.ts';
import type { Store } from '../../store/store.ts';
import type { Collector, FailedPart, Outcome } from '../collector.ts';
import type { AccountSettings, ReadContext, RunContext } from '../context.ts';
import { verifyCustomer } from '../customer.ts';
import { costOf } from './budget/cost.ts';
import { RunBudget } from './budget/run-budget.ts';
import { type TestableProxy, testBatch } from './call.ts';
import { exposeTests } from './expose.ts';
import { families } from './families.ts';
import { attributeFaults, type Judgement } from './faults/faults.ts';
import { type ProxyTestOptions, proxyTestOptions } from './options.ts';
import { allowedRuns, isProbing, planBatches, reservedRuns } from './planner.ts';
import { roundOf } from './round.ts';
import { discover } from './sources/discover.ts';
import { FoundProxies } from './sources/found-proxies.ts';
import type { FoundProxy } from './sources/proxy-entry.ts';
import { sourcesOf } from './sources/sources.ts';
import { linesOf, noteTested, testedProxies } from './sources/tested-proxies.ts';
import { cellsOf, mistakesIn } from './targets.ts';

/** Errors of one batch alone, a timeout among them: a batch may hold slow proxies. Others would meet the next too. */
const OF_ONE_BATCH = new Set(['rejected', 'not_found', 'bad_response', 'timeout']);

/** Once a day, as the call itself. */
const PROBE =
  'a test call costs more runs than max_runs_per_day: one proxy is tested against one url today; raise max_runs_per_day, or name fewer tester_servers or urls';

export const proxyTests: Collector<ProxyTestOptions, readonly FoundProxies[]> = {
  name: 'proxy_tests',
  endpoints: ['proxy_test_run/create', 'service/retrieve', 'proxy/search', CUSTOMER_ENDPOINT],
  families: Object.values(families),
  options: proxyTestOptions,
  shows: ['inventory'],
  mistakes: mistakesIn,
  cost: costOf,
  open,
  collect,
  hasData,
  expose: exposeTests,
};

/** A round that found no proxies is a success without a result. */
async function hasData({ name }: AccountSettings, { tests }: Store): Promise<boolean> {
  if ((await tests.calls(name)).ok.net > 0) return true;
  return (await tests.responseTimes(name)).length > 0 || (await tests.errors(name)).length > 0;
}

/** The sources are the account's own: nothing has been found yet, and the store knows what was found before. */
async function open(context: ReadContext<ProxyTestOptions>): Promise<FoundProxies[]> {
  const { account, options, store, clock } = context;
  await store.tests.open(account.name, clock.now());
  const sources = sourcesOf(options);
  await store.targets.retain(
    account.name,
    sources.map(({ name }) => name),
  );
  await noteTested(context);
  return sources.map((source) => new FoundProxies(source));
}

async function collect(
  context: RunContext<ProxyTestOptions>,
  sources: readonly FoundProxies[],
): Promise<Outcome> {
  await verifyCustomer(context);
  const discovered = await discover(context, sources, context.options.discover_every);
  await noteTested(context);
  const found = sources.flatMap(({ proxies }) => proxies);
  const tested = await testAll(context, found);
  return {
    skipped: discovered.skipped + tested.skipped,
    failedParts: [...discovered.failedParts, ...tested.failedParts],
    // A source that fails keeps its list: its proxies are tested all the same, and are no older for it.
    isCurrent: tested.isCurrent,
  };
}

async function testAll(
  context: RunContext<ProxyTestOptions>,
  found: readonly FoundProxy[],
): Promise<Required<Omit<Outcome, 'pass'>>> {
  const { clock, log, options, progress, signal } = context;
  const startedAt = clock.now();
  const { proxies, budget, spent } = await roundOf(context);
  const lineOf = linesOf(options, found);
  const testable = proxies.flatMap((proxy) => {
    const line = lineOf(proxy);
    return line ? [{ ...proxy, line }] : [];
  });
  const batches = planBatches(testable, budget, spent, startedAt);
  const allowed = allowedRuns(testable, budget, spent, startedAt);
  const runs = new RunBudget(context, allowed, reservedRuns(budget));
  const isProbe = isProbing(budget);
  if (isProbe && batches.length > 0) log.warn({ ...budget }, PROBE);
  let skipped = 0;
  let done = 0;
  const failedParts: FailedPart[] = [];
  const test = async (batch: readonly TestableProxy[]): Promise<void> => {
    const payment = runs.reserve();
    // Calls have turned out dearer than planned: its proxies keep their turn.
    if (!payment) return;
    try {
      // Others go on meanwhile: the sum is read after the wait, not before.
      const results = await testBatch(context, batch, payment, startedAt, isProbe);
      skipped += results;
    } catch (error) {
      // The run's own deadline is a timeout as well: the next batch would meet it, and be spent for nothing.
      if (signal.aborted || !(error instanceof ProviderError) || !OF_ONE_BATCH.has(error.kind)) throw error;
      failedParts.push({ part: `a batch of ${batch.length} proxies`, error });
    }
    done += 1;
    progress({ done, total: batches.length, unit: 'batches' });
  };
  try {
    const rest = await untilPriced(batches, runs, test);
    await forEachLimited(rest, options.parallel, test);
  } finally {
    // What was found before an error is news too.
    await judge(context, startedAt);
  }
  const [first] = failedParts;
  if (first && failedParts.length === done) throw first.error;
  // Now and then a batch of many fails: what that leaves untested is told of by its proxies.
  return { skipped, failedParts, isCurrent: 2 * failedParts.length <= done };
}

/** What a call costs may have changed since the last round: one goes at a time until an answer tells. Returns the rest. */
async function untilPriced(
  batches: readonly TestableProxy[][],
  runs: RunBudget,
  test: (batch: readonly TestableProxy[]) => Promise<void>,
): Promise<readonly TestableProxy[][]> {
  const [batch, ...rest] = batches;
  if (!batch || runs.isPriced) return batches;
  await test(batch);
  return untilPriced(rest, runs, test);
}

/** Judges whose fault the failures are, over all that is tested still. */
async function judge(context: RunContext<ProxyTestOptions>, since: number): Promise<void> {
  const { account, options, store, clock, log } = context;
  const standing = await standingJudgement(context);
  const { faults, inconclusive } = attributeFaults(await cellsOf(context), standing, {
    faultAfter: options.fault_after,
    since,
  });
  const stood = new Set(standing.faults.map(({ kind, subject }) => `${kind} ${subject}`));
  for (const { kind, subject, reason } of faults) {
    if (!stood.has(`${kind} ${subject}`)) log.warn({ kind, subject, reason }, 'fault found');
  }
  const open = new Set(standing.inconclusive.map(({ url }) => url));
  for (const { url, proxies, reason } of inconclusive) {
    if (!open.has(url)) log.warn({ url, proxies, reason }, 'proxies fail for an unknown cause');
  }
  await store.tests.saveFaults(account.name, faults, clock.now(), inconclusive);
}

/** How things stood before; nothing new will ever be heard of a proxy that is tested no more. */
async function standingJudgement(context: RunContext<ProxyTestOptions>): Promise<Judgement> {
  const { account, store } = context;
  const tested = new Set((await testedProxies(context)).map(({ id }) => id));
  return {
    faults: (await store.tests.faults(account.name)).filter(
      ({ kind, subject }) => kind !== 'proxy' || tested.has(subject),
    ),
    inconclusive: await store.tests.inconclusive(account.name),
  };
}
