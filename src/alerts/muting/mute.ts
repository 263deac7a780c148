// Defines a silence or maintenance window with its alerts and when it is in effect, and checks requested silences.

import { randomBytes } from 'node:crypto';
import { describeUnknownName } from '../../config/closest-match.ts';
import { DAY } from '../../lib/time.ts';
import type { Silence, SilenceRequest, StoredAlert } from '../../store/alert-store.ts';
import { type Reason, reasonOf } from '../../store/notice.ts';
import { type Alert, mutableAlerts } from '../alert.ts';
import { HORIZON_MS, isInEffect, type MaintenanceWindow, nextChange } from './maintenance-window.ts';

export type MutedSubject = Pick<StoredAlert, 'account' | 'alert' | 'labels' | 'since'>;

export interface Mute {
  /** Names the mute, without its end. */
  readonly reason: Reason;
  /** The value of a label, or `label=value`; null matches every subject. */
  readonly subject: string | null;
  /** It matches no alert that began later (ms). So a silence until alerts are resolved hides none that begins or returns after it. */
  readonly latestStart: number;
  matchesGroup(account: string, alert: string): boolean;
  /** Returns when it ends (ms), or Infinity; undefined if it is not in effect at `at`. */
  activeUntil(at: number): number | undefined;
}

export const silenceMute = ({ subject, startsAt, endsAt, untilResolved, ...silence }: Silence): Mute => ({
  reason: reasonOf('silence', { silence: silence.id, comment: silence.comment, untilResolved }),
  subject,
  latestStart: untilResolved ? startsAt : Number.POSITIVE_INFINITY,
  matchesGroup: (account, alert) =>
    (silence.account ?? account) === account && (silence.alert ?? alert) === alert,
  activeUntil: (at) => (startsAt <= at && at < endsAt ? endsAt : undefined),
});

export const windowMute = (window: MaintenanceWindow): Mute => {
  const { name, accounts, alerts } = window;
  return {
    reason: reasonOf('maintenance', { maintenance: name }),
    subject: null,
    latestStart: Number.POSITIVE_INFINITY,
    matchesGroup: (account, alert) =>
      (accounts?.includes(account) ?? true) && (alerts?.includes(alert) ?? true),
    activeUntil: remembered((at) => (isInEffect(window, at) ? nextChange(window, at) : undefined)),
  };
};

export const matchesSubject = ({ labels }: Pick<StoredAlert, 'labels'>, subject: string | null): boolean =>
  subject === null || subjectsOf(labels).includes(subject);

/** Matches the alerts that name no graph. A silence needs an alert with it that can name one. */
const NO_GRAPH = 'graph=';

export const subjectsOf = (labels: StoredAlert['labels']): string[] => [
  ...Object.entries(labels).flatMap(([name, value]) => [value, `${name}=${value}`]),
  ...(labels.graph === undefined ? [NO_GRAPH] : []),
];

/** Returns the end of the last of the mutes that are in effect at `at` or follow without a gap; see `mutedUntil`. */
export const endOf = (mutes: readonly Pick<Mute, 'activeUntil'>[], at: number): number | undefined => {
  let until = at;
  while (until < at + HORIZON_MS) {
    const next = Math.max(until, ...mutes.map((mute) => mute.activeUntil(until) ?? until));
    if (next === until) break;
    until = next;
  }
  return until > at ? until : undefined;
};

/** Keeps the newest end, because it is asked for each of many alerts. */
export const remembered = (endAt: Mute['activeUntil']): Mute['activeUntil'] => {
  let known = { from: 0, until: 0 };
  return (at) => {
    if (at >= known.from && at < known.until) return known.until;
    const until = endAt(at);
    if (until !== undefined) known = { from: at, until };
    return until;
  };
};

/** Silences that are in effect or begin later. */
const MAX_SILENCES = 500;
/** A silence ends at most this long after it was made. A longer one would rather be a filter of a receiver. */
const MAX_SILENCE_MS = 366 * DAY;

interface SilenceContext {
  readonly alerts: readonly Alert[];
  readonly accounts: readonly string[];
  readonly silences: readonly Silence[];
  readonly now: number;
}

/** Returns the new silence, or what is wrong with the request. The text begins with the name of the field. */
export const createSilence = (request: SilenceRequest, context: SilenceContext): Silence | string => {
  const { account, alert, subject, comment, untilResolved, end } = request;
  const { now } = context;
  const startsAt = Math.max(request.startsAt ?? now, now);
  const endsAt = 'at' in end ? end.at : startsAt + end.after;
  if (untilResolved && request.startsAt !== null)
    return 'starts_at: a silence with until_resolved begins now. Leave the start out';
  const mistake = scopeMistake(request, context) ?? timeMistake(startsAt, endsAt, now);
  if (mistake !== undefined) return mistake;
  const current = context.silences.filter((silence) => silence.endsAt > now);
  if (current.length >= MAX_SILENCES)
    return `there are ${MAX_SILENCES} silences already. Remove some, or use a maintenance window or the filters of a receiver`;
  const id = randomBytes(6).toString('hex');
  return { id, account, alert, subject, comment, startsAt, endsAt, untilResolved };
};

const scopeMistake = (
  { account, alert, subject }: SilenceRequest,
  { alerts, accounts }: SilenceContext,
): string | undefined => {
  if (account === null && alert === null && subject === null)
    return 'expected at least one of account, alert and subject. To mute everything, silence each account';
  if (account !== null && !accounts.includes(account))
    return `account: ${describeUnknownName(account, accounts)}`;
  const names = mutableAlerts(alerts);
  if (alert !== null && !names.includes(alert)) return `alert: ${describeUnknownName(alert, names)}`;
  const ofGraphs = alerts.filter(({ labels }) => labels.includes('graph')).map(({ name }) => name);
  if (subject === NO_GRAPH && !ofGraphs.includes(alert ?? ''))
    return `subject: ${NO_GRAPH} needs an alert: ${ofGraphs.join(' or ')}`;
  const isAboutDaemon = alerts.some(({ name, scope }) => name === alert && scope === 'daemon');
  return account !== null && isAboutDaemon
    ? `account: ${alert} is about the daemon itself and has no account. Leave the account out`
    : undefined;
};

const timeMistake = (startsAt: number, endsAt: number, now: number): string | undefined => {
  if (endsAt <= now) return 'ends_at: expected a time in the future';
  if (endsAt <= startsAt) return 'ends_at: expected a time after starts_at';
  return endsAt > now + MAX_SILENCE_MS
    ? `ends_at: expected a time at most ${MAX_SILENCE_MS / DAY} days ahead`
    : undefined;
};
