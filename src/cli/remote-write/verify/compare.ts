// Compares, day by day, what a receiver of remote write must have with what it has, and formats what differs.

import type { Day } from '../../../collectors/reconciliation/days.ts';
import { knownHistories } from '../../../daemon/remote-write/histories.ts';
import type { RemoteWriteOptions } from '../../../daemon/remote-write/options.ts';
import type { Account, Settings } from '../../../daemon/settings.ts';
import { systemClock } from '../../../lib/clock.ts';
import { type Family, labelValue } from '../../../lib/family.ts';
import { DAY, SECOND } from '../../../lib/time.ts';
import type { Querier } from '../../../remote-write/querier.ts';
import type { ReceiverState } from '../../../store/publication-store.ts';
import type { Store } from '../../../store/store.ts';
import { countOf, formatDecimal, number, tableLines, text } from '../../format.ts';
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

interface LeftOutDay {
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

type Labels = Readonly<Record<string, string>>;

/** The label in which the answer names the family, because a sum has no name. No family has this label. */
const FAMILY_LABEL = 'family';

/** Identifies a series of an account without its revision. Engines have no empty labels. */
const seriesKey = (family: string, labels: Labels): string =>
  JSON.stringify([
    family,
    ...Object.entries(labels)
      .flatMap(([name, value]) => (value === '' ? [] : [[name, labelValue(value)] as const]))
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  ]);

/**
 * Returns the sums of all series of these families in a day, by their key. `labels` are those that select the samples of
 * an account. Rejects with QueryError and the signal's reason.
 */
const receivedSums = async (
  querier: Querier,
  families: readonly Family[],
  labels: Labels,
  day: Day,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number>> => {
  const expression = families.map((family) => sumOf(family, labels, day)).join(' or ');
  const found = await querier.query(expression, day.end - 1, signal);
  return new Map(
    found.map(({ labels: { [FAMILY_LABEL]: family = '', ...rest }, value }) => [
      seriesKey(family, rest),
      value,
    ]),
  );
};

/**
 * Samples have whole seconds. The range begins between two of them and ends before the next day, so it does not matter
 * whether an engine includes the ends of a range: Prometheus 2 includes both, and Prometheus 3 only the second.
 */
const sumOf = ({ name, labels }: Family, selected: Labels, { start, end }: Day): string => {
  const selector = Object.entries(selected).map(([label, value]) => `${label}=${JSON.stringify(value)}`);
  const samples = `${name}{${selector.join(',')}}[${end - 1 - start + SECOND - 1}ms]`;
  return `label_replace(sum by (${labels.join(', ')}) (sum_over_time(${samples})), "${FAMILY_LABEL}", "${name}", "", "")`;
};

/** More lines help nobody, and a receiver that lost everything would have thousands. */
const MAX_LINES = 200;

const COLUMNS = [...['account', 'day', 'series'].map(text), ...['sent', 'received', 'missing'].map(number)];

export const reportOf = (
  name: string,
  { compared, differing, leftOut }: AccountComparison,
): readonly string[] => {
  const shown = differing.slice(0, MAX_LINES);
  return [
    ...(shown.length > 0 ? tableLines(COLUMNS, shown.map(cellsOf)) : []),
    ...(differing.length > shown.length ? [`and ${differing.length - shown.length} more`] : []),
    ...leftOutLines(leftOut),
    `${name}: ${verdictOf(compared, differing)}`,
  ];
};

const verdictOf = (compared: number, differing: readonly DifferingSum[]): string => {
  if (compared === 0) return 'no daily sum was compared';
  const all = countOf(compared, 'daily sum');
  if (differing.length === 0) return `none of ${all} differs`;
  return `${differing.length} of ${all} ${differing.length === 1 ? 'DIFFERS' : 'DIFFER'}, on ${daysText(differing)}`;
};

const cellsOf = ({ account, day, family, labels, sum, received }: DifferingSum): string[] => {
  const selector = Object.entries(labels).map(([label, value]) => `${label}=${JSON.stringify(value)}`);
  const series = selector.length === 0 ? family.name : `${family.name}{${selector.join(',')}}`;
  return [account, day.date, series, ...[sum, received, sum - received].map(amount)];
};

const amount = (value: number): string => formatDecimal(value, Number.isInteger(value) ? 0 : 2);

/** Histories settle at different times, so the days that are left out differ from family to family. */
const leftOutLines = (leftOut: readonly LeftOutDay[]): string[] =>
  [...Map.groupBy(leftOut, ({ account, reason, day }) => JSON.stringify([account, day.date, reason]))].map(
    ([key, entries]) => {
      const [account, date, reason] = JSON.parse(key) as string[];
      const families = [...new Set(entries.map(({ family }) => family))];
      return `left out: ${date} of ${account}, ${reason} (${families.join(', ')})`;
    },
  );

export const daysText = (sums: readonly DifferingSum[]): string =>
  [...new Set(sums.map(({ day }) => day.date))].toSorted().join(', ');
