// The doctor's visit to the provider on behalf of one account: its client, and what is noticed on the way.

import { connectTo } from '../../daemon/connect.ts';
import type { Account, Settings } from '../../daemon/settings.ts';
import { systemClock } from '../../lib/clock.ts';
import { MINUTE } from '../../lib/time.ts';
import type { ProviderClient } from '../../provider/client.ts';
import { ProviderError } from '../../provider/errors.ts';
import type { Store } from '../../store/store.ts';

/** How long one thing is waited for in all, repetitions and the pauses that the provider asks for among it. */
const PATIENCE_MS = MINUTE;

/** What the visits to all accounts share. */
export interface Surroundings {
  readonly settings: Settings;
  /** A store for what a reading notes, thrown away afterwards. */
  readonly scratch: Store;
  readonly signal: AbortSignal;
  readonly version: string;
}

export interface Visit extends Surroundings, AsyncDisposable {
  readonly account: Account;
  readonly client: ProviderClient;
  readonly notes: Notes;
}

/** What answers told beside what they were asked for. */
export interface Notes {
  /** Every request so far; `code` is an HTTP status, or `timeout`, `network` or `bad_response`. */
  readonly requests: { readonly endpoint: string; readonly code: string }[];
  /** The provider's clock minus ours (ms), answer by answer. */
  readonly clockOffsets: number[];
  /** Starts of the minutes with traffic, ascending, as labelled: as if the provider's zone were UTC (ms). */
  minutes?: readonly number[];
  /** Null where no proxy user tells it. */
  customerId?: number | null;
  /** Of some purchased service. */
  serviceId?: string | null | undefined;
}

export const visit = (surroundings: Surroundings, account: Account): Visit => {
  const notes: Notes = { requests: [], clockOffsets: [] };
  const client = connectTo(account, {
    clock: systemClock,
    userAgent: `proxywatch/${surroundings.version}`,
    observer: {
      onResponse: ({ endpoint, code }) => void notes.requests.push({ endpoint, code }),
      onServerDate: (offsetMs) => void notes.clockOffsets.push(offsetMs),
    },
  });
  return {
    ...surroundings,
    account,
    client,
    notes,
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
};

/**
 * The error that asking ended with, which is what a doctor is there to tell of; undefined when it went well. Throws
 * any other error, and the reason of the visit's signal.
 */
export const errorOf = async (
  { signal, notes }: Visit,
  endpoint: string,
  ask: (signal: AbortSignal) => Promise<void>,
): Promise<ProviderError | undefined> => {
  const patience = AbortSignal.timeout(PATIENCE_MS);
  try {
    await ask(AbortSignal.any([signal, patience]));
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ProviderError) return error;
    if (!patience.aborted) throw error;
    const isRefused = notes.requests.at(-1)?.code === '429';
    const what = 'no answer within a minute, repetitions and pauses included';
    return new ProviderError(isRefused ? 'rate_limited' : 'timeout', endpoint, what);
  }
};

export const codesOf = ({ requests }: Notes, endpoint: string): string[] =>
  requests.filter((request) => request.endpoint === endpoint).map(({ code }) => code);

export const isSuccess = (code: string): boolean => code.startsWith('2');

export const hasSucceeded = ({ requests }: Notes): boolean => requests.some(({ code }) => isSuccess(code));

/**
 * Whether each further question would end like the last: nothing answers, the keys are not known, or the provider
 * wants to be left alone.
 */
export const isLeftAlone = ({ notes }: Visit): boolean => {
  const code = notes.requests.at(-1)?.code;
  return code === '429' || (!hasSucceeded(notes) && (code === '401' || !hasAnswered(notes)));
};

/** Whether anything at all has answered, if only with an error or what is no answer of the API. */
export const hasAnswered = ({ requests }: Notes): boolean =>
  requests.some(({ code }) => code !== 'network' && code !== 'timeout');

/** Present time by the provider's clock, as far as it has told (ms). */
export const providersNow = ({ clockOffsets }: Notes): number =>
  systemClock.now() + (medianOf(clockOffsets) ?? 0);

export const medianOf = (values: readonly number[]): number | undefined =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
