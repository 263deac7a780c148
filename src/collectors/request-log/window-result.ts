// Counts one window: by counts of the provider, or by listing it if the provider does not count or apply filters.

import { HOUR, MINUTE } from '../../lib/time.ts';
import { ProviderError } from '../../provider/errors.ts';
import {
  countLogRows,
  type LogClient,
  type LogFilter,
  type LogOptions,
  type LogRow,
} from '../../provider/resources/request-log.ts';
import type { ClientSample, LogWindow, RequestCount, WindowResult } from '../../store/request-log-store.ts';
import type { RunContext } from '../context.ts';
import { verifyCustomer } from '../customer.ts';
import { type LogPace, nextWindow, type RequestLogOptions } from './allowance.ts';
import { failuresIn } from './classes.ts';
import { areAnonymous, ClientAddresses } from './client-addresses.ts';
import { type Asked, areFiltersApplied, countWindow, type FoundGroups, isRefusal } from './count-window.ts';
import { estimate, type Sample } from './estimates.ts';
import { listWindow, readSample, readSome } from './list-window.ts';

type Context = RunContext<RequestLogOptions>;

/** What runs know of how the provider counts. */
export interface CountingState {
  readonly pace: LogPace;
  /** Until when windows are listed (ms), because the provider did not count. */
  listedUntil: number;
  /** When the filters were last checked (ms). */
  checkedAt: number;
  readonly found: FoundGroups;
  /** Undefined if the addresses of clients are not wanted. */
  readonly clients: ClientAddresses | undefined;
}

export const newCounting = (pace: LogPace, { client_addresses }: RequestLogOptions): CountingState => ({
  pace,
  clients: client_addresses && new ClientAddresses(client_addresses),
  ...{ listedUntil: 0, checkedAt: 0, found: new Map() },
});

/** The most rows that may be read: failed requests of the rest of a run, and requests of the window for their clients. */
export interface RowsLeft {
  errors: number;
  clients: number;
}

export const LOG_ENDPOINT = 'log/search';
/** How often the filters are checked, and how long windows are listed until counting is tried again. */
const CHECKED_MS = HOUR;
/** Longer windows can have more rows than may be listed. */
const LISTED_MS = 5 * MINUTE;
/** A window that needs more requests has more codes than a run has time for. */
const MAX_REQUESTS = 600;

const NO_CLIENTS =
  'the log gives no requests at random with the addresses of clients, so unknown addresses are not found';

/** The provider does not count, or does not apply a filter. */
class UncountableError extends Error {}

interface Counted {
  readonly window: LogWindow;
  /** Null if the window could not be counted. */
  readonly counts: readonly RequestCount[] | null;
  readonly sample: Sample | undefined;
  readonly clients?: ClientSample | undefined;
}

/** The result can end before the window. Lowers `left`. Throws ProviderError: the next run then counts again. */
export const windowResult = async (
  context: Context,
  state: CountingState,
  window: LogWindow,
  left: RowsLeft,
): Promise<Pick<Counting, 'skipped' | 'clientError'> & { readonly result: WindowResult }> => {
  // A row does not name its customer.
  await verifyCustomer(context);
  const counting = new Counting(context, state, window);
  const { sample, window: counted, ...result } = await counting.count(left);
  const samples = sample && sample.rows.length > 0 ? estimate(sample) : [];
  const { skipped, clientError } = counting;
  return { result: { ...counted, ...result, samples }, skipped, clientError };
};

class Counting {
  readonly #context: Context;
  readonly #state: CountingState;
  readonly #window: LogWindow;
  readonly #client: LogClient;
  #asked = 0;
  /** Items that were left out, or lack a value. */
  skipped = 0;
  /** Why the clients are not known. */
  clientError: ProviderError | undefined;
  readonly #options: LogOptions;

  constructor(context: Context, state: CountingState, window: LogWindow) {
    const { account, client, signal } = context;
    [this.#context, this.#state, this.#window] = [context, state, window];
    this.#options = {
      ...{ timeZone: account.time_zone, signal },
      onSkipped: (items) => {
        this.skipped += items;
      },
    };
    const attempts = { starts: () => state.pace.take(signal), refused: async () => {} };
    this.#client = { get: (endpoint, options) => client.get(endpoint, { ...options, attempts }) };
  }

  async count(left: RowsLeft): Promise<Counted> {
    const now = this.#context.clock.now();
    if (now >= this.#state.listedUntil)
      try {
        return await this.#byFilters(left);
      } catch (error) {
        if (!(error instanceof UncountableError)) throw error;
        this.#state.listedUntil = now + CHECKED_MS;
      }
    const { from, to } = this.#window;
    const window = nextWindow(from, to, this.#options.timeZone, LISTED_MS) ?? this.#window;
    const listed = await listWindow(this.#client, window, this.#clientOptions);
    const clients = listed && (await this.#compare(window, listed.rows, listed.isComplete));
    left.errors -= listed?.sample.rows.length ?? 0;
    return { window, counts: listed?.counts ?? null, sample: listed?.sample, clients };
  }

  async #byFilters(left: RowsLeft): Promise<Counted> {
    const [window, { found, checkedAt }] = [this.#window, this.#state];
    const { counts, isExceeded } = await countWindow((asked) => this.#ask(asked), found);
    const isDue = this.#context.clock.now() - checkedAt >= CHECKED_MS;
    if (counts.length > 0 && (isExceeded || isDue)) await this.#check();
    const errors = failuresIn(counts);
    const wanted = { errors, most: left.errors };
    const isSampled = errors > 0 && left.errors > 0;
    const sample = isSampled ? await readSample(this.#client, window, this.#options, wanted) : undefined;
    left.errors -= sample?.rows.length ?? 0;
    const total = counts.reduce((sum, { requests }) => sum + requests, 0);
    return { window, counts, sample, clients: await this.#readClients(total, left) };
  }

  /** The counts are stored without the clients if these cannot be read. */
  async #readClients(total: number, { clients: most }: RowsLeft): Promise<ClientSample | undefined> {
    const { signal } = this.#context;
    if (!this.#state.clients) return undefined;
    try {
      const rows =
        total > 0 ? await readSome(this.#client, this.#window, this.#clientOptions, { total, most }) : [];
      return await this.#compare(this.#window, rows, rows.length === total);
    } catch (error) {
      if (!(error instanceof ProviderError) || signal.aborted) throw error;
      this.clientError = error;
      return undefined;
    }
  }

  async #compare(
    window: LogWindow,
    rows: readonly LogRow[],
    areAll: boolean,
  ): Promise<ClientSample | undefined> {
    const { clients } = this.#state;
    const isSilent = (!areAll || rows.length > 0) && areAnonymous(rows);
    if (clients && isSilent) this.clientError = new ProviderError('bad_response', LOG_ENDPOINT, NO_CLIENTS);
    const sample = await clients?.sampleOf(this.#context, window, rows, areAll);
    this.clientError = clients?.error ?? this.clientError;
    return sample;
  }

  get #clientOptions(): LogOptions {
    return { ...this.#options, withClients: this.#state.clients !== undefined };
  }

  /** Only a filter that the documentation of the log does not promise can be refused without failing the run. */
  async #ask(asked: Asked): Promise<number> {
    if (++this.#asked > MAX_REQUESTS) throw new UncountableError();
    try {
      return await this.#countRows({ ...this.#window, ...asked });
    } catch (error) {
      if (isRefusal(error) && Object.keys(asked).length > 0) throw new UncountableError();
      throw error;
    }
  }

  async #check(): Promise<void> {
    if (!(await areFiltersApplied((filter) => this.#countRows(filter), this.#window)))
      throw new UncountableError();
    this.#state.checkedAt = this.#context.clock.now();
  }

  async #countRows(filter: LogFilter): Promise<number> {
    const rows = await countLogRows(this.#client, filter, this.#options);
    if (rows === null) throw new UncountableError();
    return rows;
  }
}
