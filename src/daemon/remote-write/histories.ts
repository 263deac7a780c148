// Publishes the history of all accounts that has settled, lists it for the receivers, and computes from when they get it.

import { setImmediate } from 'node:timers/promises';
import type { ReadContext } from '../../collectors/context.ts';
import type { HistorySource } from '../../collectors/history-source.ts';
import { type PublishedHistory, publishedHistories } from '../../collectors/published-history.ts';
import type { Clock } from '../../lib/clock.ts';
import { bucketStart, DAY, MINUTE } from '../../lib/time.ts';
import type { PublishedStream, RolledUpHistory, StreamKey } from '../../store/publication-store.ts';
import type { Store } from '../../store/store.ts';
import { type Account, accountSettings, collectorsOf, type Settings } from '../settings.ts';
import type { RemoteWriteOptions } from './options.ts';

/** Publishing writes to the store, so a stream is published in steps of this length (ms). */
const STEP_MS = 10 * MINUTE;

export type SentHistory = PublishedHistory & { readonly published: PublishedStream };

/** Publishes what has settled, and returns all published histories. Throws StoreError. */
export const publishHistories = async (
  settings: Settings,
  store: Store,
  clock: Clock,
): Promise<SentHistory[]> => {
  const known = new Map((await store.publications.streams()).map((stream) => [keyOf(stream), stream]));
  const histories: SentHistory[] = [];
  for (const { source, context } of sourcesOf(settings, store, clock)) {
    for (const stream of await source.streams(context)) {
      const key = { account: context.account.name, source: source.source, subject: stream.subject };
      const published = await publish(store, known.get(keyOf(key)), key, stream.settledUntil);
      if (published) histories.push({ source, context, stream, published });
    }
    await setImmediate();
  }
  return histories;
};

/** Returns the histories of an account of which something is published, and publishes nothing. Throws StoreError. */
export const knownHistories = async (
  account: Account,
  settings: Settings,
  store: Store,
  clock: Clock,
): Promise<SentHistory[]> => {
  const sources = sourcesOf({ ...settings, accounts: [account] }, store, clock);
  const histories: SentHistory[] = [];
  for (const { source, context } of sources)
    for (const { published, ...history } of await publishedHistories(source, context))
      if (published) histories.push({ ...history, published });
  return histories;
};

interface AccountSource {
  readonly source: HistorySource;
  readonly context: ReadContext<unknown>;
}

const sourcesOf = (settings: Settings, store: Store, clock: Clock): AccountSource[] =>
  settings.accounts.flatMap((account) =>
    collectorsOf(account).flatMap(({ collector, options }) => {
      const context = { account: accountSettings(account, settings), options, store, clock };
      return (collector.history ?? []).map((source) => ({ source: source as HistorySource, context }));
    }),
  );

/** Undefined if nothing of the stream has settled yet. */
const publish = async (
  { publications }: Store,
  known: PublishedStream | undefined,
  key: StreamKey,
  settledUntil: number,
): Promise<PublishedStream | undefined> => {
  if (settledUntil < (known?.until ?? 0) + STEP_MS) return known;
  return publications.publish(key, settledUntil);
};

const keyOf = ({ account, source, subject }: StreamKey): string => JSON.stringify([account, source, subject]);

/** Returns the time (ms) from which a receiver that is new at `now` gets history. Throws StoreError. */
export const startOf = async (
  start: RemoteWriteOptions['start'],
  settings: Settings,
  { publications }: Pick<Store, 'publications'>,
  now: number,
): Promise<number> => {
  if (start === 'now') return now;
  const at = now - start;
  return wholeDayFrom(at, await publications.rolledUp(at), settings, now);
};

type RetentionSettings = Pick<Settings, 'accounts' | 'store'>;

/**
 * Returns `at`, or the midnight before if its day is rolled up, or will be soon. Such a day is one row: without the row,
 * its corrections would be wrong. If accounts have several time zones, it is the earliest midnight. A day that was rolled
 * up in an earlier zone of its account begins at another time.
 */
export const wholeDayFrom = (
  at: number,
  rolledUp: RolledUpHistory,
  settings: RetentionSettings,
  now: number,
): number =>
  at >= asPolledSince(rolledUp, settings, now)
    ? at
    : Math.min(rolledUp.from, ...settings.accounts.map(({ time_zone: zone }) => bucketStart(zone, at, DAY)));

/** Returns since when all history is stored as polled (ms). An earlier retention may have rolled up more than the present. */
export const asPolledSince = (
  { until }: RolledUpHistory,
  { store: { retention } }: Pick<Settings, 'store'>,
  now: number,
): number => Math.max(until, now - retention.raw);
