// Gathers the results of a round and stores many of them in one transaction.

import type { RefusalClass } from '../../lib/refusal-codes.ts';
import type { ProbeResult } from '../../prober/probe.ts';
import type { ExitResult, PhaseTime, ProbeBatch } from '../../store/probe-store.ts';
import type { AttributedResult } from '../../store/test-store.ts';
import type { RunContext } from '../context.ts';
import type { CauseLookup } from '../faults/failure-causes.ts';
import { errorCodeOf, errorSourceOf } from './evidence.ts';
import type { IsUndecided, LineState, OrderedResult } from './line-state.ts';
import type { ProbedProxy } from './probed-proxies.ts';
import type { VantageOptions } from './vantage.ts';

interface OtherProbe {
  readonly label: string;
  readonly bytes: ProbeResult['bytes'];
  readonly refusal?: RefusalClass | undefined;
}

export interface UrlResult extends OrderedResult {
  readonly result: ProbeResult;
}

export interface ProbedUrls {
  readonly proxy: ProbedProxy;
  readonly results: readonly UrlResult[];
  /** Probes that have no result of a url: the check of the exit, and one that the end of the run cut off. */
  readonly others: readonly OtherProbe[];
  readonly exit?: ExitResult | undefined;
}

export interface BatchOptions {
  /** The start of the run (ms). */
  readonly startedAt: number;
  readonly causeOf: CauseLookup;
  readonly line: LineState;
}

/** Few enough that a slice of writing does not block the event loop for long. */
const PROXIES_PER_BATCH = 100;

export class ResultBatch {
  readonly #context: RunContext<VantageOptions>;
  readonly #options: BatchOptions;
  #pending: ProbedUrls[] = [];

  constructor(context: RunContext<VantageOptions>, options: BatchOptions) {
    this.#context = context;
    this.#options = options;
  }

  /** Throws StoreError. */
  async add(probed: ProbedUrls): Promise<void> {
    this.#options.line.observe(probed.results);
    this.#pending.push(probed);
    if (this.#pending.length >= PROXIES_PER_BATCH) await this.flush();
  }

  /** Throws StoreError. */
  async flush(): Promise<void> {
    const pending = this.#pending;
    if (pending.length === 0) return;
    this.#pending = [];
    const { account, store, clock } = this.#context;
    const { startedAt, line } = this.#options;
    const isUndecided = await line.judge(pending.flatMap((probed) => probed.results));
    const now = clock.now();
    const results = pending.flatMap((probed) => this.#resultsOf(probed, isUndecided));
    // A proxy whose first probe was cut off was not tested.
    const proxies = pending.flatMap((probed) => (probed.results.length > 0 ? probed.proxy.id : []));
    if (results.length > 0) await store.tests.saveBatch(account.name, { results, proxies, now, startedAt });
    await store.probes.saveBatch(account.name, { ...detailsOf(pending), now });
  }

  #resultsOf({ proxy, results }: ProbedUrls, isUndecided: IsUndecided): AttributedResult[] {
    const isProxyDead = results.every(({ result }) => result.failure !== null);
    const { vantage: tester } = this.#context.options;
    return results.map((each) => {
      const { label, result } = each;
      const test = {
        proxy: proxy.id,
        url: label,
        tester,
        ...outcomeOf(result, isUndecided(each, isProxyDead)),
      };
      return {
        ...test,
        responseTimeMs: result.failure ? null : Math.round(result.durationMs),
        cause: result.failure
          ? this.#options.causeOf({ ...test, productType: proxy.productType, isProxyDead })
          : null,
      };
    });
  }
}

const outcomeOf = (
  { failure }: ProbeResult,
  isUndecided: boolean,
): Pick<AttributedResult, 'isSuccessful' | 'errorSource' | 'errorCode'> => {
  if (!failure) return { isSuccessful: true, errorSource: null, errorCode: null };
  const { phase, cause } = failure;
  const errorSource = isUndecided ? 'here' : errorSourceOf(phase, cause);
  return { isSuccessful: false, errorSource, errorCode: errorCodeOf(phase, cause) };
};

const detailsOf = (pending: readonly ProbedUrls[]): Omit<ProbeBatch, 'now'> => {
  const others = pending.flatMap((probed) => probed.others);
  const probes = pending.flatMap(({ proxy, results }) =>
    results.map((each) => ({ proxy: proxy.id, ...each })),
  );
  return {
    phases: probes.flatMap(({ label, result }) => phasesOf(label, result)),
    bytes: [
      ...probes.map(({ label, result }) => ({ url: label, ...result.bytes })),
      ...others.map(({ label, bytes }) => ({ url: label, ...bytes })),
    ],
    refusals: countRefusals([...probes.map(({ result }) => result), ...others]),
    failures: probes.flatMap(({ proxy, label, result }) => failureOf(proxy, label, result)),
    exits: pending.flatMap(({ exit }) => exit ?? []),
  };
};

const phasesOf = (url: string, { phases }: ProbeResult): PhaseTime[] =>
  Object.entries(phases).map(([phase, ms]) => ({ url, phase, ms }));

export const countRefusals = (results: readonly Pick<ProbeResult, 'refusal'>[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const { refusal } of results) if (refusal) counts.set(refusal, (counts.get(refusal) ?? 0) + 1);
  return counts;
};

const failureOf = (
  proxy: string,
  url: string,
  { failure, proxyAnswer }: ProbeResult,
): ProbeBatch['failures'] => {
  if (!failure) return [];
  const { phase, cause, message } = failure;
  const { status = null, code = null, requestId = null } = proxyAnswer ?? {};
  return [{ ...{ proxy, url, phase, cause, message }, ...{ status, code, requestId } }];
};
