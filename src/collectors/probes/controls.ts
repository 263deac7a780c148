// Asks the controls of a round, without a proxy, and stores and logs whether they work.

import { forEachLimited } from '../../lib/parallel.ts';
import type { ProbeFailure } from '../../prober/probe.ts';
import type { ControlResult } from '../../store/probe-store.ts';
import type { RunContext } from '../context.ts';
import { errorCodeOf, haveAllFailed } from './evidence.ts';
import { safeProbe } from './safe-probe.ts';
import { controlsOf } from './targets.ts';
import { timeoutsOf } from './timeouts.ts';
import type { VantageOptions } from './vantage.ts';

type Context = RunContext<VantageOptions>;

const ALL_FAIL =
  'all controls fail, so this machine or its line is at fault; proxywatch reports no fault of proxies until a control works';
const WORK_AGAIN = 'a control works again';

/** Returns the results, without those of controls that the end of the run cut off. Throws StoreError. */
export const askControls = async (context: Context): Promise<ControlResult[]> => {
  const results = await ask(context);
  await save(context, results);
  return results;
};

/**
 * Asks again at the end of a round, because the line can fail after the controls of the round were asked. Only a failure of
 * all is stored: anything else would count the rounds in which one control fails twice. Throws StoreError.
 */
export const confirmControls = async (context: Context): Promise<void> => {
  const results = await ask(context);
  if (haveAllFailed(results)) await save(context, results);
};

const ask = async ({ options, probe, signal }: Context): Promise<ControlResult[]> => {
  const results: ControlResult[] = [];
  await forEachLimited(controlsOf(options), options.parallel, async ({ label, target }) => {
    const request = { proxy: null, target, timeouts: timeoutsOf(options), signal };
    const result = await safeProbe(probe, request);
    if (result) results.push({ url: label, isSuccessful: !result.failure, error: errorOf(result.failure) });
  });
  return results;
};

const save = async (context: Context, results: readonly ControlResult[]): Promise<void> => {
  const { account, store, clock } = context;
  await logChange(context, results);
  if (results.length > 0) await store.probes.saveControls(account.name, results, clock.now());
};

const errorOf = (failure: ProbeFailure | null): string | null =>
  failure && errorCodeOf(failure.phase, failure.cause);

const logChange = async ({ account, options, store, log }: Context, results: readonly ControlResult[]) => {
  const labels = new Set(controlsOf(options).map(({ label }) => label));
  const before = (await store.probes.controls(account.name)).filter(({ url }) => labels.has(url));
  const [hadFailed, haveFailed] = [haveAllFailed(before), haveAllFailed(results)];
  const errors = results.map(({ url, error }) => ({ url, error }));
  if (haveFailed && !hadFailed) log.warn({ controls: errors }, ALL_FAIL);
  if (results.length > 0 && hadFailed && !haveFailed) log.info({ controls: errors }, WORK_AGAIN);
};
