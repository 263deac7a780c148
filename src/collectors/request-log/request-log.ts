// Counts requests and errors in the provider's log (log/search) window by window. A window is stored whole, or counted again.

import { PRODUCT_TYPES } from '../../lib/product-types.ts';
import { REFUSAL_CLASSES } from '../../lib/refusal-codes.ts';
import { DAY, HOUR, MINUTE } from '../../lib/time.ts';
import { ProviderError } from '../../provider/errors.ts';
import { PER_PAGE } from '../../provider/page-request.ts';
import type { WindowResult } from '../../store/request-log-store.ts';
import {
  type Collector,
  type FailedPart,
  type Outcome,
  slotsPerDay,
  textIf,
  withAbsenceAdvice,
} from '../collector.ts';
import type { ReadContext, RunContext } from '../context.ts';
import { verifyCustomer } from '../customer.ts';
import { MAX_LISTS } from './addresses.ts';
import {
  LogPace,
  lostWindow,
  nextWindow,
  type RequestLogOptions,
  requestLogOptions,
  settledTo,
  steadyRequests,
} from './allowance.ts';
import { exposeRequestLog, families, MAX_USERS } from './expose.ts';
import { type CountingState, LOG_ENDPOINT, newCounting, windowResult } from './window-result.ts';

type Context = RunContext<RequestLogOptions>;

/** A run begins no window after this time, so that it ends before its deadline. */
const LONGEST_MS = 4 * MINUTE;
/** The first run counts so long a time, so that it shows whether the account has the log. */
const FIRST_MS = 5 * MINUTE;
/** A run that stays further behind because of `max_requests_per_day` reports it. */
const REPORTED_LAG_MS = HOUR;

const openRequestLog = async (context: ReadContext<RequestLogOptions>): Promise<CountingState> => {
  const { account, options, store, clock } = context;
  const now = clock.now();
  const start = settledTo(now, options.settle + FIRST_MS, account.time_zone);
  await store.requestLog.open(account.name, start, now);
  if (!options.client_addresses) await store.requestLog.forgetClients(account.name);
  const { storedAt } = await store.requestLog.counters(account.name);
  const idleMs = storedAt === null ? DAY : Math.max(0, now - storedAt);
  return newCounting(new LogPace(options, clock, idleMs), options);
};

const collectRequestLog = async (context: Context, state: CountingState): Promise<Outcome> => {
  const { account, clock, options, store } = context;
  const [now, startedAt, zone] = [clock.now(), clock.monotonic(), account.time_zone];
  const end = settledTo(now, options.settle, zone);
  const stored = await store.requestLog.state(account.name);
  let from = stored?.countedTo ?? end;
  const lost = lostWindow(from, now, zone);
  if (lost) from = await save(context, { ...lost, counts: null, samples: [] }, end);
  let skipped = 0;
  const left = { errors: options.samples, clients: 0 };
  const clientsPerMs = (options.client_addresses?.samples ?? 0) / Math.max(1, end - from);
  const failedParts: FailedPart[] = [];
  let clientError: ProviderError | undefined;
  while (clock.monotonic() - startedAt < LONGEST_MS) {
    const window = nextWindow(from, end, zone);
    if (!window) break;
    if (!state.pace.mayBeginWindow) {
      if (end - from > REPORTED_LAG_MS) failedParts.push({ part: 'max_requests_per_day', error: lagError() });
      break;
    }
    left.clients = Math.max(PER_PAGE, Math.ceil(clientsPerMs * (window.to - window.from)));
    const counted = await windowResult(context, state, window, left);
    clientError = counted.clientError ?? clientError;
    skipped += counted.skipped;
    // Without requests for the next window, this one stays the newest.
    const settled = state.pace.mayBeginWindow ? end : counted.result.to;
    from = await save(context, counted.result, settled);
    context.progress({ done: Math.round((from - window.from) / MINUTE), total: undefined, unit: 'minutes' });
  }
  if (clientError) failedParts.push({ part: 'client_addresses', error: clientError });
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

/** The codes of errors of a product type in a window. */
const ASSUMED_CODES = 6;
/** The requests for the whole window, and for the number and the success of each type, and for its codes. */
const REQUESTS_OF_WINDOW = 1 + PRODUCT_TYPES.length * (2 + ASSUMED_CODES);
/** The requests that check the filters, once an hour. */
const REQUESTS_OF_CHECK = 5;
/** The number of users for the estimate of costs, unless the store has them. */
const ASSUMED_USERS = 100;
const SERIES = 2 + PRODUCT_TYPES.length * (2 + ASSUMED_CODES + REFUSAL_CLASSES.length);

export const requestLog: Collector<RequestLogOptions, CountingState> = {
  name: 'request_log',
  description: 'Requests and errors by class and code',
  endpoints: [LOG_ENDPOINT],
  families: Object.values(families),
  options: requestLogOptions,
  cost: (options, zone, now, _settings, { users = ASSUMED_USERS } = {}) => {
    const { schedule, samples, client_addresses, max_requests_per_day: perDay } = options;
    const clientPages = client_addresses ? Math.max(2, Math.ceil(client_addresses.samples / PER_PAGE)) : 0;
    const ofRun = REQUESTS_OF_WINDOW + Math.ceil(samples / PER_PAGE) + clientPages;
    const slots = slotsPerDay(schedule, zone, now);
    const windows = Math.max(slots, DAY / HOUR);
    const wanted = slots * ofRun + (DAY / HOUR) * REQUESTS_OF_CHECK;
    // A window has at most an hour.
    const atLeast = Math.ceil((((DAY / HOUR) * (ofRun + REQUESTS_OF_CHECK)) / steadyRequests(1_000)) * 1_000);
    return {
      requestsPerDay: Math.min(wanted, perDay) + (client_addresses ? windows * MAX_LISTS : 0),
      series: SERIES + (client_addresses ? 2 * Math.min(users, MAX_USERS) : 0),
      assumptions: [
        `requests of each product type fail with ${ASSUMED_CODES} codes`,
        ...textIf(
          client_addresses !== undefined,
          `each run, at least one an hour, reads the addresses by which ${MAX_LISTS} proxy users authenticate; mostly they are fewer`,
        ),
      ],
      warnings: textIf(
        wanted > steadyRequests(perDay),
        `counting at each slot of the schedule needs about ${wanted} requests a day, but max_requests_per_day is ${perDay}: longer times are counted at once, and later. With fewer than about ${atLeast}, some time is never counted`,
      ),
    };
  },
  // With one request a second, a usual run takes longer than the default.
  quietMs: () => 2 * MINUTE,
  open: openRequestLog,
  collect: (context, state) => withAbsenceAdvice('request_log', collectRequestLog(context, state)),
  // A run without a settled minute succeeds.
  hasData: async ({ name }, store) => (await store.requestLog.counters(name)).storedAt !== null,
  expose: exposeRequestLog,
};
