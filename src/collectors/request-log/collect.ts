// Counts the requests since the last run window by window. A window is stored whole with its counters, or counted again.

import { HOUR, MINUTE } from '../../lib/time.ts';
import { ProviderError } from '../../provider/errors.ts';
import type { WindowResult } from '../../store/request-log-store.ts';
import type { FailedPart, Outcome } from '../collector.ts';
import type { ReadContext, RunContext } from '../context.ts';
import { verifyCustomer } from '../customer.ts';
import { LogPace } from './allowance.ts';
import type { RequestLogOptions } from './options.ts';
import { type CountingState, LOG_ENDPOINT, newCounting, windowResult } from './window-result.ts';
import { lostWindow, nextWindow, settledTo } from './windows.ts';

type Context = RunContext<RequestLogOptions>;

/** A run begins no window after this time, so that it ends before its deadline. */
const LONGEST_MS = 4 * MINUTE;
/** The first run counts so long a time, so that it shows whether the account has the log. */
const FIRST_MS = 5 * MINUTE;
/** A run that stays further behind because of `max_requests_per_day` reports it. */
const REPORTED_LAG_MS = HOUR;

export const openRequestLog = async (context: ReadContext<RequestLogOptions>): Promise<CountingState> => {
  const { account, options, store, clock } = context;
  const now = clock.now();
  const start = settledTo(now, options.settle + FIRST_MS, account.time_zone);
  await store.requestLog.open(account.name, start, now);
  return newCounting(new LogPace(options, clock));
};

export const collectRequestLog = async (context: Context, state: CountingState): Promise<Outcome> => {
  const { account, clock, options, store } = context;
  const [now, startedAt, zone] = [clock.now(), clock.monotonic(), account.time_zone];
  const end = settledTo(now, options.settle, zone);
  const stored = await store.requestLog.state(account.name);
  let from = stored?.countedTo ?? end;
  const lost = lostWindow(from, now, zone);
  if (lost) from = await save(context, { ...lost, counts: null, samples: [] }, end);
  let [samples, skipped] = [options.samples, 0];
  const failedParts: FailedPart[] = [];
  while (clock.monotonic() - startedAt < LONGEST_MS) {
    const window = nextWindow(from, end, zone);
    if (!window) break;
    if (!state.pace.mayBeginWindow) {
      if (end - from > REPORTED_LAG_MS) failedParts.push({ part: 'max_requests_per_day', error: lagError() });
      break;
    }
    const counted = await windowResult(context, state, window, samples);
    samples -= counted.sampledRows;
    skipped += counted.skipped;
    // Without requests for the next window, this one stays the newest.
    const settled = state.pace.mayBeginWindow ? end : counted.result.to;
    from = await save(context, counted.result, settled);
    context.progress({ done: Math.round((from - window.from) / MINUTE), total: undefined, unit: 'minutes' });
  }
  return { skipped, failedParts, isSuccessDespiteFailures: true };
};

const lagError = (): ProviderError =>
  new ProviderError(
    'rate_limited',
    LOG_ENDPOINT,
    'requests are counted more than an hour late, because max_requests_per_day allows no more API requests yet; raise it',
  );

/** Returns the end of what is counted. */
const save = async (context: Context, result: WindowResult, settled: number): Promise<number> => {
  const { account, clock, store } = context;
  await verifyCustomer(context);
  await store.requestLog.save(account.name, result, clock.now(), settled);
  return result.to;
};
