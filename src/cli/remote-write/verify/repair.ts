// Rewinds a receiver of remote write to the first day that it has lost samples of.

import { asPolledSince } from '../../../daemon/remote-write/start.ts';
import { systemClock } from '../../../lib/clock.ts';
import { rewindReceiver } from '../../../store/sqlite/publication/receivers.ts';
import type { CommandContext, ExitCode } from '../../context.ts';
import type { DifferingSum, VerifyContext } from './compare.ts';
import { daysText } from './report.ts';

/** Returns 0 if the daemon sends all days that differ again, and 1 if sending them would not help. Throws StoreError. */
export const repair = async (
  { stdout, stderr }: CommandContext,
  { settings, store, receiver: { name } }: VerifyContext,
  differing: readonly DifferingSum[],
): Promise<ExitCode> => {
  const { path } = settings.store;
  const now = systemClock.now();
  const since = asPolledSince(await store.publications.rolledUp(now), settings, now);
  const groups = Map.groupBy(differing, (sum) => whyNot(sum, since));
  const lost = groups.get(undefined) ?? [];
  if (lost.length > 0) {
    await rewindReceiver(path, name, Math.min(...lost.map(({ day }) => day.start)));
    stdout.write(
      `${name}: rewound for ${daysText(lost)}. Start the daemon, which sends everything since then again. When proxywatch_remote_write_lag_seconds is 0, verify again\n`,
    );
  }
  for (const [reason, sums] of groups)
    if (reason !== undefined) stderr.write(`error: not rewound for ${daysText(sums)}: ${reason}\n`);
  return lost.length === differing.length ? 0 : 1;
};

const DELETE_FIRST =
  'Delete the samples of the series proxywatch_history_* of these days at the receiver, and then use remote-write rewind';

/** Returns why sending a day again does not help; undefined if it does. `since` is when history as polled begins (ms). */
const whyNot = ({ day, sum, received }: DifferingSum, since: number): string | undefined => {
  if (received > sum) return `the receiver has more than was sent. ${DELETE_FIRST}`;
  return day.start < since
    ? `the store has them only in sums of an hour or of a day, so that the sums of the receiver would become too high. ${DELETE_FIRST}`
    : undefined;
};
