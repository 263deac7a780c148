// Probes one proxy of a round at all urls.

import type { Probe, ProbeRequest, ProbeResult, TlsSessions } from '../../prober/probe.ts';
import type { OnRequestContext, RunContext } from '../context.ts';
import type { ProbedUrls, ResultBatch, UrlResult } from './batch.ts';
import type { ByteBudget } from './budget/byte-budget.ts';
import { type ByteEstimates, bytesOf } from './budget/byte-prices.ts';
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

/** Probes one url after another, so that a proxy never has two connections at a time. */
export const probeProxy = async (
  context: Context,
  round: Round,
  { proxy, exitTarget }: Turn,
): Promise<ProbedUrls> => {
  const results: UrlResult[] = [];
  for (const target of round.targets) {
    const { label } = target;
    const begunAfter = round.line.asked;
    const { result, bytes } = await probeUrl(context, round, proxy, target);
    if (!result) return { proxy, results, others: [{ label, bytes }] };
    results.push({ label, begunAfter, result });
  }
  if (!exitTarget) return { proxy, results, others: [] };
  const { result, bytes } = await probeUrl(context, round, proxy, exitTarget);
  const others = [{ label: exitTarget.label, bytes, refusal: result?.refusal }];
  const exit = result && (await round.exits.resultOf(proxy, result.body));
  return { proxy, results, exit, others };
};

export interface MadeProbe {
  /** Undefined if the end of the run, or the stop of the daemon, cut the probe off. */
  readonly result: ProbeResult | undefined;
  /** What the probe took, also if it was cut off. */
  readonly bytes: ProbeResult['bytes'];
}

/** `limitMs` is a time limit besides the configured ones, with any wait for a lookup. */
export const probeUrl = async (
  { options, probe, signal }: OnRequestContext<VantageOptions>,
  { sessions, estimates }: Pick<Round, 'sessions' | 'estimates'>,
  { id, access, isMetered }: ProbedProxy,
  { label, target }: LabelledTarget,
  limitMs?: number,
): Promise<MadeProbe> => {
  let cutOff = { sent: 0, received: 0 };
  const result = await safeProbe(probe, {
    ...{ proxy: access, target, timeouts: timeoutsOf(options, limitMs), signal, isMetered },
    onBytes: (bytes) => {
      cutOff = bytes;
    },
    // The exit of a gateway changes. One session of several exits would show the target that they are one client.
    sessions: isMetered ? undefined : { cache: sessions, key: `${id} ${label}` },
  });
  const bytes = result?.bytes ?? cutOff;
  // A probe through a static proxy resumes a session, so it says nothing of what a metered one takes.
  if (result && isMetered) estimates.observe(label, target.depth, bytesOf([bytes]));
  return { result, bytes };
};

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
