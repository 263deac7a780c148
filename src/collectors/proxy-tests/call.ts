// One call of the provider's test: paid from the budget, its results matched to the proxies and brought to the store.

import type { Secret } from '../../lib/secret.ts';
import { ProviderError } from '../../provider/errors.ts';
import { createTestRun, type TestResult, type TestRun } from '../../provider/resources/proxy-tests.ts';
import type { CallResult, ProxyObservation, ProxyTestResult, TestBatch } from '../../store/test-store.ts';
import type { RunContext } from '../context.ts';
import { priceKeyOf } from './budget/price.ts';
import type { Payment } from './budget/run-budget.ts';
import { matchResults } from './matching.ts';
import type { ProxyTestOptions } from './options.ts';
import type { TestedProxy } from './sources/tested-proxies.ts';
import { urlsOf } from './targets.ts';

/** A proxy and the line that its test takes. */
export type TestableProxy = TestedProxy & { readonly line: Secret };

type Context = RunContext<ProxyTestOptions>;

type Brought = Pick<TestBatch, 'results' | 'sightings' | 'places'>;

/** Tests a batch, at one url alone as a probe; returns how many results could not be used. Throws ProviderError and StoreError. */
export const testBatch = async (
  context: Context,
  batch: readonly TestableProxy[],
  payment: Payment,
  startedAt: number,
  isProbe: boolean,
): Promise<number> => {
  const { account, store, clock } = context;
  const save = (call: CallResult, brought: Brought, runs: number): Promise<void> => {
    const proxies = batch.map(({ id }) => id);
    const at = { now: clock.now(), startedAt };
    const priceKey = priceKeyOf(context.options);
    return store.tests.saveBatch(account.name, { call, ...brought, proxies, runs, priceKey, ...at });
  };
  try {
    const run = await call(context, batch, payment, isProbe);
    const runs = Math.max(1, run.runIds.length);
    await payment.settle(runs);
    const { unusable, ...brought } = resultsOf(context, batch, run);
    await save('ok', brought, runs);
    return run.skipped + unusable;
  } catch (error) {
    if (!payment.isPaid) await payment.settle(0);
    if (error instanceof ProviderError && payment.wasSent) {
      // It says nothing of the proxies, but they had their turn: else they would stand first again, before all others.
      await save('failed', { results: [] }, 1);
    }
    throw error;
  }
};

const call = (
  { account, options, client, signal }: Context,
  batch: readonly TestableProxy[],
  payment: Payment,
  isProbe: boolean,
): Promise<TestRun> =>
  createTestRun(client, {
    proxies: batch.map(({ providerId, line }) => ({ proxyId: providerId ?? undefined, proxyString: line })),
    urls: urlsOf(options)
      .slice(0, isProbe ? 1 : undefined)
      .map(({ address }) => address),
    testerServers: options.tester_servers,
    timeoutMs: options.request_timeout,
    responseTimeUnit: account.response_time_unit,
    timeZone: account.time_zone,
    signal,
    attempts: { starts: () => payment.pay(), refused: () => payment.refund() },
  });

/** The results by proxy and url; those that belong to none are unusable. */
const resultsOf = (
  { options, log }: Context,
  batch: readonly TestableProxy[],
  run: TestRun,
): Brought & { unusable: number } => {
  const labels = new Map(urlsOf(options).map(({ address, label }) => [normalUrl(address.reveal()), label]));
  const { pairs, unmatched } = matchResults(batch, run.results, (result) => result);
  if (unmatched > 0) log.warn({ unmatched }, 'test results that belong to no proxy of their batch');
  const results = pairs.flatMap(
    ({ proxy, result }) => toResult(proxy, labels.get(normalUrl(result.url)), result) ?? [],
  );
  return {
    results,
    sightings: sightingsOf(pairs),
    places: new Map(run.results.map(({ testerServer, testerPlace }) => [testerServer, testerPlace])),
    unusable: run.results.length - results.length,
  };
};

/** By proxy: the last result that says where the proxy is, else the last one. */
const sightingsOf = (
  pairs: readonly { readonly proxy: TestedProxy; readonly result: TestResult }[],
): Map<string, ProxyObservation> => {
  const found = new Map<string, ProxyObservation>();
  for (const { proxy, result } of pairs) {
    const { address } = found.get(proxy.id) ?? {};
    if (!address || result.sighting.address) found.set(proxy.id, result.sighting);
  }
  return found;
};

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
