// Names the silences and maintenance windows that keep notifications of an alert back.

import type { StoredAlert } from '../../store/alert-store.ts';
import type { ActiveMute, AlertMutes } from '../muting/alert-mutes.ts';
import { type Reason, reason } from './notice.ts';

export type ReadMutes = Pick<AlertMutes, 'muted' | 'mutedUntil'>;

interface Muting {
  readonly reasons: readonly Reason[];
  /** When the alert is no longer muted (ms); null if no end is known. Equals `at` for an alert that is not muted. */
  readonly until: number | null;
}

/** Returns what mutes the alert at the time `at` (ms). */
export const mutingAt = (mutes: ReadMutes, alert: StoredAlert, at: number): Muting => {
  const muted = mutes.muted(alert, at);
  if (!muted) return { reasons: [], until: at };
  const isEndless = muted.by.some(({ endsAt }) => !Number.isFinite(endsAt));
  return { reasons: muted.by.map(reasonOf), until: isEndless ? null : muted.until };
};

const reasonOf = (mute: ActiveMute): Reason => {
  const until = Number.isFinite(mute.endsAt) ? mute.endsAt : null;
  return mute.kind === 'silence'
    ? reason('silence', { until, silence: mute.id, comment: mute.comment })
    : reason('maintenance', { until, maintenance: mute.name });
};
