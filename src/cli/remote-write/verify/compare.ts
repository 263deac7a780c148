// Compares, day by day, what a receiver of remote write must have with what it has.

import type { Day } from '../../../collectors/reconciliation/days.ts';
import { knownHistories } from '../../../daemon/remote-write/histories.ts';
import type { RemoteWriteOptions } from '../../../daemon/remote-write/options.ts';
import type { Account, Settings } from '../../../daemon/settings.ts';
import { systemClock } from '../../../lib/clock.ts';
import { DAY } from '../../../lib/time.ts';
import type { Querier } from '../../../remote-write/querier.ts';
import type { ReceiverState } from '../../../store/remote-write-store.ts';
import type { Store } from '../../../store/store.ts';
import { receivedSums, seriesKey } from './received-sums.ts';
import { type SentSum, sentSums } from './sent-sums.ts';

/** Sums of money are rounded in each sample. All other values are whole numbers. */
const TOLERANCE = 0.001;

/** Days are deleted when their last row is older than the retention. */
const DELETION_MARGIN_MS = 2 * DAY;

export interface VerifyContext {
  readonly settings: Settings;
  readonly receiver: RemoteWriteOptions;
  readonly querier: Querier;
  readonly store: Store;
  readonly signal: AbortSignal;
}

/** A sum that the receiver does not have as it was sent. */
export interface DifferingSum extends SentSum {
  readonly account: string;
  readonly received: number;
}

export interface LeftOutDay {
  readonly account: string;
  readonly day: Day;
  readonly family: string;
  readonly reason: string;
}

export interface AccountComparison {
  /** The number of sums that were compared. */
  readonly compared: number;
  readonly differing: readonly DifferingSum[];
  readonly leftOut: readonly LeftOutDay[];
}

/** Compares these days of an account's zone. Rejects with QueryError, StoreError and the signal's reason. */
export const compareDays = async (
  context: VerifyContext,
  state: ReceiverState,
  account: Account,
  days: readonly Day[],
): Promise<AccountComparison> => {
  const { sums, leftOut } = await sentOf(context, state, account, days);
  const differing: DifferingSum[] = [];
  for (const day of days) {
    const ofDay = sums.filter((sum) => sum.day === day);
    if (ofDay.length > 0) differing.push(...(await differingIn(context, account.name, day, ofDay)));
  }
  return { compared: sums.length, differing, leftOut };
};

const sentOf = async (
  { settings, store }: VerifyContext,
  state: ReceiverState,
  account: Account,
  days: readonly Day[],
): Promise<{ readonly sums: readonly SentSum[]; readonly leftOut: readonly LeftOutDay[] }> => {
  const now = systemClock.now();
  const retained = now - settings.store.retention.daily + DELETION_MARGIN_MS;
  const [sums, leftOut]: [SentSum[], LeftOutDay[]] = [[], []];
  for (const history of await knownHistories(account, settings, store, systemClock)) {
    const { source } = history;
    const storedSince = Math.max(retained, source.storedSince?.(now) ?? retained);
    const sent = await sentSums(history, state, days, storedSince);
    sums.push(...sent.sums);
    const family = source.families[0]?.family.name ?? '';
    leftOut.push(...sent.leftOut.map(([reason, day]) => ({ account: account.name, day, family, reason })));
  }
  return { sums, leftOut };
};

const differingIn = async (
  { receiver, querier, signal }: VerifyContext,
  account: string,
  day: Day,
  sums: readonly SentSum[],
): Promise<DifferingSum[]> => {
  const families = [...new Set(sums.map(({ family }) => family))];
  const labels = { ...receiver.external_labels, account };
  const received = await receivedSums(querier, families, labels, day, signal);
  return sums
    .map((sum) => ({ ...sum, account, received: received.get(seriesKey(sum.family.name, sum.labels)) ?? 0 }))
    .filter((sum) => Math.abs(sum.received - sum.sum) > TOLERANCE);
};
