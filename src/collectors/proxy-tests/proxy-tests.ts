// Proxy tests: has the provider test the proxies within the day's budget, and finds whose fault it is.

import { forEachLimited } from '../../lib/parallel.ts';
import type { Secret } from '../../lib/secret.ts';
import { ProviderError } from '../../provider/errors.ts';
import { createTestRun, type TestResult } from '../../provider/proxy-tests.ts';
import type { ProxyTestResult } from '../../store/test-store.ts';
import type { Collector, Outcome, ReadContext, RunContext } from '../collector.ts';
import { costOf } from './cost.ts';
import { exposeTests } from './expose.ts';
import { families } from './families.ts';
import { attributeFaults } from './faults.ts';
import { matchResults } from './matching.ts';
import { type ProxyTestOptions, proxyTestOptions } from './options.ts';
import { planBatches } from './planner.ts';
import type { FoundProxy } from './proxy-entry.ts';
import { roundOf } from './round.ts';
import { discover } from './sources/discover.ts';
import { FoundProxies } from './sources/found-proxies.ts';
import { sourcesOf } from './sources/sources.ts';
import { cellsOf, mistakesIn, urlsOf } from './targets.ts';
import { linesOf, type TestedProxy, testedProxies } from './tested-proxies.ts';

/** Errors of one batch alone, a timeout among them: a batch may hold slow proxies. Others would meet the next too. */
const OF_ONE_BATCH = new Set(['rejected', 'not_found', 'bad_response', 'timeout']);

export const proxyTests: Collector<ProxyTestOptions, readonly FoundProxies[]> = {
  name: 'proxy_tests',
  endpoints: ['proxy_test_run/create', 'service/retrieve', 'proxy/search', 'proxy_user/search'],
  families: Object.values(families),
  options: proxyTestOptions,
  mistakes: mistakesIn,
  cost: costOf,
  open,
  collect,
  expose: exposeTests,
};

/** A proxy and the line that its test takes. */
type TestableProxy = TestedProxy & { readonly line: Secret };

/** The sources are the account's own: nothing has been found yet, and the store knows what was found before. */
async function open({
  account,
  options,
  store,
  clock,
}: ReadContext<ProxyTestOptions>): Promise<FoundProxies[]> {
  await store.tests.open(account.name, clock.now());
  const sources = sourcesOf(options);
  await store.targets.retain(
    account.name,
    sources.map(({ name }) => name),
  );
  return sources.map((source) => new FoundProxies(source));
}

async function collect(
  context: RunContext<ProxyTestOptions>,
  sources: readonly FoundProxies[],
): Promise<Outcome> {
  const discovered = await discover(context, sources, context.options.discover_every);
  const found = sources.flatMap(({ proxies }) => proxies);
  const tested = await testAll(context, found);
  return {
    skipped: discovered.skipped + tested.skipped,
    failedParts: [...discovered.failedParts, ...tested.failedParts],
  };
}

async function testAll(
  context: RunContext<ProxyTestOptions>,
  found: readonly FoundProxy[],
): Promise<Outcome> {
  const { clock, options, progress, signal } = context;
  const startedAt = clock.now();
  const { proxies, budget, spent } = await roundOf(context);
  const lineOf = linesOf(options, found);
  const testable = proxies.flatMap((proxy) => {
    const line = lineOf(proxy);
    return line ? [{ ...proxy, line }] : [];
  });
  const batches = planBatches(testable, budget, spent, startedAt);
  let skipped = 0;
  let done = 0;
  const failedParts: { part: string; error: ProviderError }[] = [];
  const test = async (batch: readonly TestableProxy[]): Promise<void> => {
    try {
      skipped += await testBatch(context, batch, startedAt);
    } catch (error) {
      // The run's own deadline is a timeout as well: the next batch would meet it, and be spent for nothing.
      if (signal.aborted || !(error instanceof ProviderError) || !OF_ONE_BATCH.has(error.kind)) throw error;
      failedParts.push({ part: `a batch of ${batch.length} proxies`, error });
    }
    done += 1;
    progress({ done, total: batches.length, unit: 'batches' });
  };
  try {
    await forEachLimited(batches, options.parallel, test);
  } finally {
    // What was found before an error is news too.
    await judge(context, startedAt);
  }
  const [first] = failedParts;
  if (first && failedParts.length === batches.length) throw first.error;
  return { skipped, failedParts };
}

/** One call of the provider's test; returns the results that could not be used. */
async function testBatch(
  { account, options, store, clock, client, signal, log }: RunContext<ProxyTestOptions>,
  batch: readonly TestableProxy[],
  startedAt: number,
): Promise<number> {
  const urls = urlsOf(options);
  const proxies = batch.map(({ id }) => id);
  // Counted before the call: what may have run is spent, whatever becomes of the answer.
  await store.tests.spend(account.name, 1, clock.now());
  try {
    const run = await createTestRun(client, {
      proxies: batch.map(({ providerId, line }) => ({ proxyId: providerId ?? undefined, proxyString: line })),
      urls: urls.map(({ address }) => address),
      testerServers: options.tester_servers,
      timeoutMs: options.request_timeout,
      responseTimeUnit: account.response_time_unit,
      signal,
    });
    const labels = new Map(urls.map(({ address, label }) => [normalUrl(address.reveal()), label]));
    const { pairs, unmatched } = matchResults(batch, run.results, ({ host, port, username }) => ({
      host,
      port,
      username,
    }));
    const results = pairs.flatMap(
      ({ proxy, result }) => toResult(proxy, labels.get(normalUrl(result.url)), result) ?? [],
    );
    const runs = Math.max(1, run.runIds.length);
    if (runs > 1) await store.tests.spend(account.name, runs - 1, clock.now());
    await store.tests.saveBatch(account.name, {
      results,
      proxies,
      runs,
      now: clock.now(),
      startedAt,
    });
    await store.tests.countCall(account.name, 'ok', startedAt);
    if (unmatched > 0) log.warn({ unmatched }, 'test results that belong to no proxy of their batch');
    return run.skipped + unmatched + (pairs.length - results.length);
  } catch (error) {
    if (error instanceof ProviderError) {
      await store.tests.countCall(account.name, 'failed', startedAt);
      // It says nothing of the proxies, but they had their turn: else they would stand first again, before all others.
      await store.tests.saveBatch(account.name, {
        results: [],
        proxies,
        runs: 1,
        now: clock.now(),
        startedAt,
      });
    }
    throw error;
  }
}

/** The provider may write an address in another way than it was given, such as with a slash at its end. */
const normalUrl = (address: string): string => URL.parse(address)?.href ?? address;

/** Codes and sources are open sets, and become labels: what is no plain word might hold anything, a password too. */
const asToken = (text: string | null): string | null =>
  text === null || /^[\w.-]{1,64}$/.test(text) ? text : 'other';

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
        errorSource: asToken(result.errorSource),
        errorCode: asToken(result.errorCode),
        responseTimeMs: result.responseTimeSeconds && Math.round(result.responseTimeSeconds * 1_000),
      };

/** Judges whose fault the failures are, over all that is tested still. */
async function judge(context: RunContext<ProxyTestOptions>, since: number): Promise<void> {
  const { account, options, store, clock, log } = context;
  const tested = new Set((await testedProxies(context)).map(({ id }) => id));
  // Nothing new will ever be heard of a proxy that is tested no more.
  const standing = (await store.tests.faults(account.name)).filter(
    ({ kind, subject }) => kind !== 'proxy' || tested.has(subject),
  );
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
