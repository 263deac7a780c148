// Probes one proxy of a round at all urls.

import type { Probe, ProbeRequest, ProbeResult, TlsSessions } from '../../prober/probe.ts';
import type { OnRequestContext, RunContext } from '../context.ts';
import type { ProbedUrls, ResultBatch, UrlResult } from './batch.ts';
import type { ByteBudget, BytePrice } from './budget/byte-budget.ts';
import { type ByteEstimates, MOST_BYTES } from './budget/byte-prices.ts';
import type { ExitCheck } from './exit/exit-check.ts';
import type { LineState } from './line-state.ts';
import type { ProbedProxy } from './probed-proxies.ts';
import { type LabelledTarget, timeoutsOf } from './targets.ts';
import type { VantageOptions } from './vantage.ts';

export interface Round {
  readonly targets: readonly LabelledTarget[];
  readonly budget: ByteBudget;
  readonly estimates: ByteEstimates;
  readonly sessions: TlsSessions;
  readonly batch: ResultBatch;
  readonly exits: ExitCheck;
  readonly line: Pick<LineState, 'asked'>;
}

type Context = RunContext<VantageOptions>;

/** The probes of one proxy. */
export interface Turn {
  readonly proxy: ProbedProxy;
  /** The url of the check of the exit; undefined if it is not due. */
  readonly exitTarget: LabelledTarget | undefined;
}

export const NO_BYTES: ProbeResult['bytes'] = { sent: 0, received: 0 };

/** Probes one url after another, so that a proxy never has two connections at a time. */
export const probeProxy = async (
  context: Context,
  round: Round,
  { proxy, exitTarget }: Turn,
): Promise<ProbedUrls> => {
  const results: UrlResult[] = [];
  let cutOff = NO_BYTES;
  const probe = (each: LabelledTarget): Promise<ProbeResult | undefined> => {
    cutOff = NO_BYTES;
    const onBytes = (bytes: ProbeResult['bytes']): void => {
      cutOff = bytes;
    };
    return probeUrl(context, round, proxy, each, { onBytes });
  };
  for (const each of round.targets) {
    const begunAfter = round.line.asked;
    const result = await probe(each);
    if (!result) return { proxy, results, others: [{ label: each.label, bytes: cutOff }] };
    results.push({ label: each.label, begunAfter, result });
  }
  if (!exitTarget) return { proxy, results, others: [] };
  const { label } = exitTarget;
  const echoed = await probe(exitTarget);
  if (!echoed) return { proxy, results, others: [{ label, bytes: cutOff }] };
  const { bytes, refusal } = echoed;
  const exit = await round.exits.resultOf(proxy, echoed.body);
  return { proxy, results, exit, others: [{ label, bytes, refusal }] };
};

interface ProbeLimits {
  /** Also learns what a probe took that the end of the run cut off. */
  readonly onBytes: (bytes: ProbeResult['bytes']) => void;
  /** A time limit besides the configured ones (ms), with any wait for a lookup. */
  readonly limitMs?: number;
}

/** Returns undefined if the run ended first. */
export const probeUrl = async (
  { options, probe, signal }: OnRequestContext<VantageOptions>,
  { sessions, estimates }: Pick<Round, 'sessions' | 'estimates'>,
  proxy: ProbedProxy,
  { label, target }: LabelledTarget,
  { onBytes, limitMs }: ProbeLimits,
): Promise<ProbeResult | undefined> => {
  const result = await safeProbe(probe, {
    ...{
      proxy: proxy.access,
      target,
      timeouts: timeoutsOf(options, limitMs),
      signal,
      onBytes,
    },
    isMetered: proxy.isMetered,
    // The exit of a gateway changes. One session of several exits would show the target that they are one client.
    sessions: proxy.isMetered ? undefined : { cache: sessions, key: `${proxy.id} ${label}` },
  });
  // A probe through a static proxy resumes a session, so it says nothing of what a metered one takes.
  if (result && proxy.isMetered)
    estimates.observe(label, target.depth, result.bytes.sent + result.bytes.received);
  return result;
};

export const priceOf = (targets: readonly LabelledTarget[], estimates: ByteEstimates): BytePrice => ({
  most: targets.reduce((sum, { target }) => sum + MOST_BYTES[target.depth], 0),
  estimate: targets.reduce((sum, { label, target }) => sum + estimates.of(label, target.depth), 0),
});

export const bytesOf = (bytes: readonly ProbeResult['bytes'][]): number =>
  bytes.reduce((sum, { sent, received }) => sum + sent + received, 0);

/** A probe that could not be made. Nothing is known about the proxy and the target. */
const NOT_MADE: ProbeResult = {
  failure: { phase: 'resolve', cause: 'local', message: 'proxywatch could not make the probe' },
  phases: {},
  durationMs: 0,
  bytes: { sent: 0, received: 0 },
  proxyAnswer: null,
  status: null,
  certificate: null,
  isResumed: false,
  body: null,
};

/** Returns undefined if the run ended first. */
export const safeProbe = async (probe: Probe, request: ProbeRequest): Promise<ProbeResult | undefined> => {
  try {
    request.signal.throwIfAborted();
    return await probe(request);
  } catch {
    return request.signal.aborted ? undefined : NOT_MADE;
  }
};
