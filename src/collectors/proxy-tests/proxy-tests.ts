// Collects proxy tests: has the provider test the proxies within the day's budget, and attributes failures to faults.

import { forEachLimited } from '../../lib/parallel.ts';
import { runInTurns } from '../../lib/steps.ts';
import { ProviderError } from '../../provider/errors.ts';
import { CUSTOMER_ENDPOINT } from '../../provider/resources/proxy-users.ts';
import type { Store } from '../../store/store.ts';
import type { Collector, FailedPart, Outcome } from '../collector.ts';
import type { AccountSettings, ReadContext, RunContext } from '../context.ts';
import { verifyCustomer } from '../customer.ts';
import { type Attribution, type FaultOptions, faultKey } from '../faults/attribution.ts';
import { causeLookup } from '../faults/failure-causes.ts';
import { readPreviousAttribution, saveAttribution } from '../faults/stored-attribution.ts';
import { withInventory } from '../inventory-evidence.ts';
import { unknownWordsIn } from '../proxy-sources/mistakes.ts';
import type { FoundProxy } from '../proxy-sources/proxy-entry.ts';
import { sourcesOf } from '../proxy-sources/sources.ts';
import { openSources, saveTestedProxies, withLines } from '../proxy-sources/tested-proxies.ts';
import { refreshSources, TrackedSource } from '../proxy-sources/tracked-source.ts';
import { attributeTests } from './attribute-tests.ts';
import { costOf } from './budget/cost-estimate.ts';
import { RunBudget } from './budget/run-budget.ts';
import { type TestableProxy, testBatch } from './call.ts';
import { readHereFaults } from './current-findings.ts';
import { exposeTests, families } from './expose.ts';
import { testHistory } from './history.ts';
import { type ProxyTestOptions, proxyTestOptions } from './options.ts';
import { allowedRuns, isProbing, planBatches, plannedCycleMs, reservedRuns } from './planner.ts';
import { readPlannerInput } from './planner-input.ts';
import { mistakesIn, readConfiguredCells } from './targets.ts';
import { planTest, testNow } from './test-now.ts';

/** Errors that concern one batch only, such as a timeout of slow proxies. Any other error would also end the next batch. */
const BATCH_ERRORS = new Set(['rejected', 'not_found', 'bad_response', 'timeout']);

/** Logged once a day, as often as the probing call is made. */
const PROBE_MESSAGE =
  'one test call costs more test runs than max_runs_per_day, so proxywatch tests one proxy against one url per day; raise max_runs_per_day, or configure fewer tester_servers or urls';

export const proxyTests: Collector<ProxyTestOptions, readonly TrackedSource[]> = {
  name: 'proxy_tests',
  description: 'Tests of proxies by the provider',
  endpoints: ['proxy_test_run/create', 'service/retrieve', 'proxy/search', CUSTOMER_ENDPOINT],
  families: Object.values(families),
  options: proxyTestOptions,
  showsDataOf: ['inventory'],
  mistakes: mistakesIn,
  unknownWords: unknownWordsIn,
  history: testHistory,
  cost: costOf,
  open,
  collect,
  testNow: { plan: planTest, run: testNow },
  hasData,
  expose: exposeTests,
};

/** A run can be a success without any result, because it may find no proxies to test. */
async function hasData({ name }: AccountSettings, { tests }: Store): Promise<boolean> {
  if ((await tests.calls(name)).ok.net > 0) return true;
  return (await tests.responseTimes(name)).length > 0 || (await tests.errors(name)).length > 0;
}

/** Creates the account's sources. They have not been read yet; the store has what they found earlier. */
async function open(context: ReadContext<ProxyTestOptions>): Promise<TrackedSource[]> {
  const { account, options, store, clock } = context;
  await store.tests.open(account.name, clock.now());
  const sources = sourcesOf(options);
  await openSources(context, sources);
  return sources.map((source) => new TrackedSource(source));
}

async function collect(
  context: RunContext<ProxyTestOptions>,
  sources: readonly TrackedSource[],
): Promise<Outcome> {
  await verifyCustomer(context);
  const refreshed = await refreshSources(context, sources, context.options.discover_every);
  await saveTestedProxies(context);
  const found = sources.flatMap(({ proxies }) => proxies);
  const tested = await testAll(context, found);
  return {
    skipped: refreshed.skipped + tested.skipped,
    failedParts: [...refreshed.failedParts, ...tested.failedParts],
    // A source that fails keeps its last list, so its proxies are still tested and their results are no older.
    isSuccessDespiteFailures: tested.isSuccessDespiteFailures,
  };
}

async function testAll(
  context: RunContext<ProxyTestOptions>,
  found: readonly FoundProxy[],
): Promise<Required<Omit<Outcome, 'pass'>>> {
  const { clock, log, options, progress, signal } = context;
  const startedAt = clock.now();
  const { proxies, budget, spent } = await readPlannerInput(context);
  const testable = withLines(proxies, options, found);
  const batches = planBatches(testable, budget, spent, startedAt);
  const allowed = allowedRuns(testable, budget, spent, startedAt);
  const runs = new RunBudget(context, allowed, reservedRuns(budget));
  const isProbe = isProbing(budget);
  const previous = await readPreviousAttribution(context);
  const round = { startedAt, isProbe, causeOf: causeLookup(previous.faults) };
  if (isProbe && batches.length > 0) log.warn({ ...budget }, PROBE_MESSAGE);
  let skipped = 0;
  let done = 0;
  const failedParts: FailedPart[] = [];
  const test = async (batch: readonly TestableProxy[]): Promise<void> => {
    const reservation = runs.reserve();
    // Calls have turned out more expensive than planned. The proxies of this batch keep their turn.
    if (!reservation) return;
    try {
      // Other batches run at the same time, so `skipped` must be read after the wait, not before it.
      const unusable = await testBatch(context, batch, reservation, round);
      skipped += unusable;
    } catch (error) {
      // The run's own deadline is a timeout too. The next batch would meet it as well, and spend its runs for nothing.
      if (signal.aborted || !(error instanceof ProviderError) || !BATCH_ERRORS.has(error.kind)) throw error;
      failedParts.push({ part: `a batch of ${batch.length} proxies`, error });
    }
    done += 1;
    progress({ done, total: batches.length, unit: 'batches' });
  };
  try {
    const rest = await testUntilPriceKnown(batches, runs, test);
    await forEachLimited(rest, options.parallel, test);
  } finally {
    // Results that were stored before an error also change faults.
    const cycleMs = plannedCycleMs(proxies, budget);
    await updateFaults(context, { since: startedAt, cycleMs }, previous);
  }
  const [first] = failedParts;
  if (first && failedParts.length === done) throw first.error;
  // One failed batch of many does not make the data stale. Each proxy that stays untested is reported itself.
  return { skipped, failedParts, isSuccessDespiteFailures: 2 * failedParts.length <= done };
}

/** Calls are made one at a time until an answer shows the present price of a call. Returns the remaining batches. */
async function testUntilPriceKnown(
  batches: readonly TestableProxy[][],
  runs: RunBudget,
  test: (batch: readonly TestableProxy[]) => Promise<void>,
): Promise<readonly TestableProxy[][]> {
  const [batch, ...rest] = batches;
  if (!batch || runs.isPriceKnown) return batches;
  await test(batch);
  return testUntilPriceKnown(rest, runs, test);
}

/** Attributes the failures of all proxies, urls and testers that are still configured, and stores and logs the faults. */
async function updateFaults(
  context: RunContext<ProxyTestOptions>,
  round: Pick<FaultOptions, 'since' | 'cycleMs'>,
  previous: Attribution,
): Promise<void> {
  const { options, log } = context;
  const cells = await readConfiguredCells(context);
  const faultOptions = { faultAfter: options.fault_after, ...round };
  const hereFaults = await readHereFaults(context, previous);
  const found = await runInTurns(attributeTests(cells, previous, hereFaults, faultOptions));
  const { inconclusive } = found;
  const faults = await withInventory(context, found.faults);
  const knownFaults = new Set(previous.faults.map(faultKey));
  for (const fault of faults) {
    const { kind, subject, reason } = fault;
    if (!knownFaults.has(faultKey(fault))) log.warn({ kind, subject, reason }, 'fault found');
  }
  const knownUrls = new Set(previous.inconclusive.map(({ url }) => url));
  for (const { url, proxies, reason } of inconclusive) {
    if (!knownUrls.has(url)) log.warn({ url, proxies, reason }, 'proxies fail for an unknown cause');
  }
  await saveAttribution(context, { faults, inconclusive }, previous, cells, round.since);
}
