// Defines what the daemon may hold at the end of the month: most figures stay the same, and some grow by a rule.

import type { DailyFigures, Days } from './daily-figures.ts';
import { DAYS } from './options.ts';

/** Everything that is kept for ten days or less is complete on the first of these days. */
const EARLIER: Days = [10, 15];
const LATER: Days = [DAYS - 6, DAYS - 1];
export const FEWEST_DAYS = 22;
export const isCompared = (day: number): boolean =>
  [EARLIER, LATER].some(([first, last]) => day >= first && day <= last);

/** Sums of tests by day and what they are about are kept for 90 days, and deleted on the next day. */
const SUMS_DAYS = 91;
const TABLES_OF_SUMS = [
  ...['test_sum', 'tested_proxy', 'url_tester', 'test_cells', 'test_failure', 'test_error', 'subject'],
].map((table) => `rows of ${table}`);
const daysOfSums = ([first, last]: Days): number => Math.min(SUMS_DAYS, (first + last) / 2 + 1);
/** How many times more of it there is later. */
const SUMS_GROWTH = daysOfSums(LATER) / daysOfSums(EARLIER);
/** The most bytes that such a row adds to the file, with its indexes. */
const BYTES_PER_ROW = 50;
const BYTES_PER_EPISODE = 260;

/**
 * The provider never deletes rows of the ledger, so the store keeps them as well. The history of alerts is kept for longer
 * than a month, with the notifications that were lost. The use of users has a row a day for each user with use.
 */
const GROWING = [
  ...['ledger', 'alert_history', 'alert_history_notice', 'lost_notification'],
  ...['user_use', 'user_use_day'],
].map((table) => `rows of ${table}`);

export interface Growth {
  readonly name: string;
  readonly before: number;
  readonly after: number;
  /** The highest value of `after` that is not growth. */
  readonly allowed: number;
}

/** Compares the means of the figures in the middle and at the end of the month. */
export const comparedFigures = (figures: DailyFigures): Growth[] => {
  const newBytes = [...TABLES_OF_SUMS, ...GROWING].reduce(
    (sum, name) => sum + bytesPerRow(name) * (figures.mean(name, LATER) - figures.mean(name, EARLIER)),
    0,
  );
  return figures.names
    .filter((name) => !GROWING.includes(name))
    .map((name) => {
      const [before, after] = [figures.mean(name, EARLIER), figures.mean(name, LATER)];
      const ruled = TABLES_OF_SUMS.includes(name) ? before * SUMS_GROWTH : before;
      const added = name.endsWith('.db') ? newBytes : 0;
      return { name, before, after, allowed: ruled + added + roomFor(name, ruled) };
    });
};

const bytesPerRow = (name: string): number =>
  name === 'rows of alert_history' ? BYTES_PER_EPISODE : BYTES_PER_ROW;

/**
 * Returns how much more than the rule is noise. In months with four seeds, the heap grew by at most 0.5 MB, and the
 * failures of tests by 60 %. A listener that each run left behind took 2.7 MB.
 */
const roomFor = (name: string, ruled: number): number => {
  if (name === 'heapUsed') return 1e6;
  if (name === 'external' || name === 'arrayBuffers') return 5e5;
  // The file keeps the size of the largest transaction.
  if (name.endsWith('-wal')) return 1e6;
  if (name.startsWith('bytes')) return 0.1 * ruled + 64;
  // Idle connections to the provider, to receivers and from clients.
  if (name.startsWith('open')) return 20;
  // All failures of 7 days, which vary with the outages.
  if (name === 'rows of recent_failure') return 0.7 * ruled + 150;
  // Users begin to run low when they have used most of their bytes.
  if (name === 'rows of alert') return 320;
  // Each of the two receivers knows of the alerts and of their groups.
  if (name === 'rows of told_alert') return 640;
  if (name === 'rows of notification_group') return 40;
  return 0.1 * ruled + 10;
};
