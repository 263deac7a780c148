// Makes one call of the provider's proxy test: charges it to the budget, matches its results to the proxies and stores them.

import { hash } from 'node:crypto';
import type { Secret } from '../../lib/secret.ts';
import { ProviderError } from '../../provider/errors.ts';
import {
  createTestRun,
  MAX_PROXIES_PER_RUN,
  type TestResult,
  type TestRun,
} from '../../provider/resources/proxy-tests.ts';
import type {
  AttributedResult,
  CallResult,
  FaultKind,
  ProxyObservation,
  TestBatch,
} from '../../store/test-store.ts';
import type { ComparedTests, RunContext } from '../context.ts';
import { type CauseLookup, deadProxies, type FailedTest } from '../faults/failure-causes.ts';
import { type Endpoint, normalHost } from '../proxy-sources/proxy-line.ts';
import type { TestedProxy } from '../proxy-sources/tested-proxies.ts';
import { urlLabel } from '../url-label.ts';
import type { RunReservation } from './budget/run-budget.ts';
import type { ProxyTestOptions } from './options.ts';
import { urlsOf } from './targets.ts';

export type TestableProxy = TestedProxy & { readonly line: Secret };

interface TestRound {
  /** The start of the run (ms). */
  readonly startedAt: number;
  readonly isProbe: boolean;
  /** Finds the cause of a failure among the faults of the last round. */
  readonly causeOf: CauseLookup;
}

type Context = RunContext<ProxyTestOptions>;

/** The price of a call that was answered. */
const runsOf = ({ runIds }: TestRun): number => Math.max(1, runIds.length);

type StoredResults = Pick<TestBatch, 'results' | 'observations' | 'places'>;

/**
 * Tests a batch at all urls, or at the first url only if `isProbe`. Returns the number of results that cannot be used.
 * Throws ProviderError and StoreError.
 */
export const testBatch = async (
  context: Context,
  batch: readonly TestableProxy[],
  reservation: RunReservation,
  { startedAt, isProbe, causeOf }: TestRound,
): Promise<number> => {
  const { account, store, clock } = context;
  const save = (call: CallResult, stored: StoredResults, runs: number): Promise<void> => {
    const proxies = batch.map(({ id }) => id);
    const at = { now: clock.now(), startedAt };
    const priceKey = priceKeyOf(context.options);
    return store.tests.saveBatch(account.name, { call, ...stored, proxies, runs, priceKey, ...at });
  };
  try {
    const run = await createRun(context, batch, reservation, isProbe);
    const runs = runsOf(run);
    await reservation.settle(runs);
    const { unusable, ...stored } = resultsOf(context, batch, run, causeOf);
    await save('ok', stored, runs);
    return run.skipped + unusable;
  } catch (error) {
    if (!reservation.isCharged) await reservation.settle(0);
    if (error instanceof ProviderError && reservation.wasSent) {
      // The failed call says nothing about the proxies, but they have had their turn. Otherwise the next round would
      // begin with the same proxies again.
      await save('failed', { results: [] }, 1);
    }
    throw error;
  }
};

/** Tests a batch at all urls, and stores only what the call cost. Throws ProviderError and StoreError. */
export const testUnstored = async (
  context: Context,
  batch: readonly TestableProxy[],
  reservation: RunReservation,
): Promise<readonly AttributedResult[]> => {
  const { account, store, clock } = context;
  const count = (call: CallResult, runs: number): Promise<void> =>
    store.tests.countCall(account.name, {
      call,
      runs,
      priceKey: priceKeyOf(context.options),
      now: clock.now(),
    });
  try {
    const run = await createRun(context, batch, reservation, false);
    await reservation.settle(runsOf(run));
    await count('ok', runsOf(run));
    return resultsOf(context, batch, run, () => null).results;
  } catch (error) {
    if (error instanceof ProviderError && reservation.wasSent) await count('failed', 1);
    throw error;
  }
};

const createRun = (
  { account, options, client, signal }: Context,
  batch: readonly TestableProxy[],
  reservation: RunReservation,
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
    attempts: { starts: () => reservation.charge(), refused: () => reservation.refund() },
  });

/** Assigns the results to proxies and urls. A result that belongs to none of them is unusable. */
const resultsOf = (
  { options, log }: Context,
  batch: readonly TestableProxy[],
  run: TestRun,
  causeOf: CauseLookup,
): StoredResults & { unusable: number } => {
  const labels = new Map(urlsOf(options).map(({ address, label }) => [normalUrl(address.reveal()), label]));
  const { pairs, unmatched } = matchResults(batch, run.results, (result) => result);
  if (unmatched > 0)
    log.warn(
      { unmatched },
      'the provider returned results for proxies that were not tested; proxywatch ignores them',
    );
  const known = pairs.flatMap(({ proxy, result }) => {
    const url = labels.get(normalUrl(result.url));
    return url === undefined ? [] : [{ proxy, url, result }];
  });
  const dead = deadProxies(
    known.map(({ proxy, result }) => ({ proxy: proxy.id, hasFailed: !result.isSuccessful })),
  );
  const results = known.map(({ proxy, url, result }) =>
    toResult(proxy, url, result, (test) => causeOf({ ...test, isProxyDead: dead.has(proxy.id) })),
  );
  return {
    results,
    observations: observationsOf(pairs),
    places: new Map(run.results.map(({ testerServer, testerPlace }) => [testerServer, testerPlace])),
    unusable: run.results.length - results.length,
  };
};

/** By proxy: the observation of the last result that has an address, or of the last result if none has one. */
const observationsOf = (
  pairs: readonly { readonly proxy: TestedProxy; readonly result: TestResult }[],
): Map<string, ProxyObservation> => {
  const found = new Map<string, ProxyObservation>();
  for (const { proxy, result } of pairs) {
    const { address } = found.get(proxy.id) ?? {};
    if (!address || result.observation.address) found.set(proxy.id, result.observation);
  }
  return found;
};

/** The provider may return a url in another spelling than it was given, for example with a slash at its end. */
const normalUrl = (address: string): string => URL.parse(address)?.href ?? address;

/** Error codes and sources are open sets and become label values. Text that is not a plain word could contain a password. */
const toLabelValue = (text: string | null): string | null =>
  text === null || /^[\w.-]{1,64}$/.test(text) ? text : 'other';

const toResult = (
  { id, productType }: TestedProxy,
  url: string,
  result: TestResult,
  causeOf: (test: Omit<FailedTest, 'isProxyDead'>) => FaultKind | null,
): AttributedResult => ({
  proxy: id,
  url,
  tester: result.testerServer,
  cause: result.isSuccessful ? null : causeOf({ proxy: id, productType, url, tester: result.testerServer }),
  isSuccessful: result.isSuccessful,
  errorSource: toLabelValue(result.errorSource),
  errorCode: toLabelValue(result.errorCode),
  responseTimeMs: result.responseTimeSeconds && Math.round(result.responseTimeSeconds * 1_000),
});

/** The endpoint of the tested proxy as a result names it. The provider may leave out any of these values. */
export interface ResultEndpoint {
  readonly host: string | null | undefined;
  readonly port: number | null | undefined;
  readonly username: string | null | undefined;
}

interface Matched<P, R> {
  readonly pairs: readonly { readonly proxy: P; readonly result: R }[];
  /** The number of results that belong to no proxy of the batch, or may belong to several. */
  readonly unmatched: number;
}

/** Assigns results to proxies by host and port, and by username only if several share them, as its form may differ. */
export const matchResults = <P extends Endpoint, R>(
  proxies: readonly P[],
  results: readonly R[],
  endpointOf: (result: R) => ResultEndpoint,
): Matched<P, R> => {
  const byAddress = Map.groupBy(proxies, ({ host, port }) => addressOf(host, port));
  const pairs = results.flatMap((result) => {
    const { host, port, username } = endpointOf(result);
    const sameAddress = byAddress.get(addressOf(host, port)) ?? [];
    const candidates =
      sameAddress.length > 1 ? sameAddress.filter((proxy) => proxy.username === username) : sameAddress;
    const [proxy] = candidates;
    return proxy && candidates.length === 1 ? [{ proxy, result }] : [];
  });
  return { pairs, unmatched: results.length - pairs.length };
};

const addressOf = (host: string | null | undefined, port: number | null | undefined): string =>
  `${normalHost(host ?? '')}:${port ?? ''}`;

/** A price is known only after a call. The key is equal for calls with the same targets, testers and batch size. */
export const priceKeyOf = (options: Pick<ComparedTests, 'urls' | 'tester_servers'>): string => {
  const urls = options.urls.map(urlLabel);
  return hash('sha1', JSON.stringify([urls.sort(), options.tester_servers.toSorted(), MAX_PROXIES_PER_RUN]));
};
