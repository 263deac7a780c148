// Proxy tests: has the provider test the configured proxies within the day's budget, and finds whose fault it is.

import { forEachLimited } from '../../lib/parallel.ts';
import { ProviderError } from '../../provider/errors.ts';
import { createTestRun, type TestResult } from '../../provider/proxy-tests.ts';
import type { ProxyTestResult } from '../../store/test-store.ts';
import type { Collector, Outcome, RunContext } from '../collector.ts';
import { costOf } from './cost.ts';
import { exposeTests } from './expose.ts';
import { families } from './families.ts';
import { attributeFaults } from './faults.ts';
import { matchResults } from './matching.ts';
import { type ProxyTestOptions, proxyTestOptions } from './options.ts';
import { planBatches } from './planner.ts';
import { roundOf } from './round.ts';
import { cellsOf, duplicatesIn, type TestedProxy, urlsOf } from './targets.ts';

/** Errors of one batch alone, a timeout among them: a batch may hold slow proxies. Others would meet the next too. */
const OF_ONE_BATCH = new Set(['rejected', 'not_found', 'bad_response', 'timeout']);

export const proxyTests: Collector<ProxyTestOptions> = {
  name: 'proxy_tests',
  endpoints: ['proxy_test_run/create'],
  families: Object.values(families),
  options: proxyTestOptions,
  mistakes: duplicatesIn,
  cost: costOf,
  open: ({ account, store, clock }) => store.tests.open(account.name, clock.now()),
  collect,
  expose: exposeTests,
};

async function collect(context: RunContext<ProxyTestOptions>): Promise<Outcome> {
  const { clock, options, progress } = context;
  const startedAt = clock.now();
  const { proxies, budget, spent } = await roundOf(context);
  const batches = planBatches(proxies, budget, spent, startedAt);
  let skipped = 0;
  let done = 0;
  const failedParts: { part: string; error: ProviderError }[] = [];
  await forEachLimited(batches, options.parallel, async (batch) => {
    try {
      skipped += await testBatch(context, batch);
    } catch (error) {
      if (!(error instanceof ProviderError) || !OF_ONE_BATCH.has(error.kind)) throw error;
      failedParts.push({ part: `a batch of ${batch.length} proxies`, error });
    }
    done += 1;
    progress({ done, total: batches.length, unit: 'batches' });
  });
  await judge(context, startedAt);
  const [first] = failedParts;
  if (first && failedParts.length === batches.length) throw first.error;
  return { skipped, failedParts };
}

/** One call of the provider's test; returns the results that could not be used. */
async function testBatch(
  { account, options, store, clock, client, signal, log }: RunContext<ProxyTestOptions>,
  batch: readonly TestedProxy[],
): Promise<number> {
  const urls = urlsOf(options);
  // Counted before the call: what may have run is spent, whatever becomes of the answer.
  await store.tests.spend(account.name, 1, clock.now());
  try {
    const run = await createTestRun(client, {
      proxies: batch.map(({ providerId, line }) => ({ proxyId: providerId, proxyString: line })),
      urls: urls.map(({ address }) => address),
      testerServers: options.tester_servers,
      timeoutMs: options.request_timeout,
      responseTimeUnit: account.response_time_unit,
      timeZone: account.time_zone,
      signal,
    });
    const labels = new Map(urls.map(({ address, label }) => [address.reveal(), label]));
    const { pairs, unmatched } = matchResults(batch, run.results, ({ host, port, username }) => ({
      host,
      port,
      username,
    }));
    const results = pairs.flatMap(
      ({ proxy, result }) => toResult(proxy, labels.get(result.url), result) ?? [],
    );
    if (run.runIds.length > 1) await store.tests.spend(account.name, run.runIds.length - 1, clock.now());
    await store.tests.saveBatch(account.name, {
      results,
      proxies: batch.map(({ id }) => id),
      now: clock.now(),
    });
    await store.tests.countCall(account.name, 'ok', clock.now());
    if (unmatched > 0) log.warn({ unmatched }, 'test results that belong to no proxy of their batch');
    return run.skipped + unmatched + (pairs.length - results.length);
  } catch (error) {
    // A call that failed says nothing of the proxies.
    if (error instanceof ProviderError) await store.tests.countCall(account.name, 'failed', clock.now());
    throw error;
  }
}

const toResult = (
  proxy: TestedProxy,
  url: string | undefined,
  result: TestResult,
): ProxyTestResult | undefined =>
  url === undefined
    ? undefined
    : {
        proxy: proxy.id,
        url,
        tester: result.testerServer,
        isSuccessful: result.isSuccessful,
        errorSource: result.errorSource,
        errorCode: result.errorCode,
        responseTimeMs: result.responseTimeSeconds && Math.round(result.responseTimeSeconds * 1_000),
      };

/** Judges whose fault the failures are, over all that is tested still. */
async function judge(context: RunContext<ProxyTestOptions>, since: number): Promise<void> {
  const { account, options, store, clock, log } = context;
  const standing = await store.tests.faults(account.name);
  const faults = attributeFaults(await cellsOf(context), standing, {
    faultAfter: options.fault_after,
    since,
  });
  const stood = new Set(standing.map(({ kind, subject }) => `${kind} ${subject}`));
  for (const { kind, subject, reason } of faults) {
    if (!stood.has(`${kind} ${subject}`)) log.warn({ kind, subject, reason }, 'fault found');
  }
  await store.tests.saveFaults(account.name, faults, clock.now());
}
