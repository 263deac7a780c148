// Checks a requested silence, and completes it with its id and times.

import { randomBytes } from 'node:crypto';
import { describeUnknownName } from '../../config/closest-match.ts';
import { DAY } from '../../lib/time.ts';
import type { Silence, SilenceRequest } from '../../store/silence-store.ts';
import type { Alert } from '../alert.ts';

/** Silences that are in effect or begin later. */
const MAX_SILENCES = 500;
/** A silence ends at most this long after it was made. A longer one would rather be a filter of a receiver. */
const MAX_SILENCE_MS = 366 * DAY;

export interface SilenceContext {
  readonly alerts: readonly Alert[];
  readonly accounts: readonly string[];
  readonly silences: readonly Silence[];
  readonly now: number;
}

/** Returns the new silence, or what is wrong with the request. The text begins with the name of the field. */
export const createSilence = (request: SilenceRequest, context: SilenceContext): Silence | string => {
  const { account, alert, subject, comment, end } = request;
  const { now } = context;
  const startsAt = Math.max(request.startsAt ?? now, now);
  const endsAt = 'at' in end ? end.at : startsAt + end.after;
  const mistake = scopeMistake(request, context) ?? timeMistake(startsAt, endsAt, now);
  if (mistake !== undefined) return mistake;
  const current = context.silences.filter((silence) => silence.endsAt > now);
  if (current.length >= MAX_SILENCES)
    return `there are ${MAX_SILENCES} silences already. Remove some, or use a maintenance window or the filters of a receiver`;
  return { id: randomBytes(6).toString('hex'), account, alert, subject, comment, startsAt, endsAt };
};

/** Alerts that the daemon evaluates. Others are evaluated by Prometheus alone, so the daemon cannot mute them. */
export const mutableAlerts = (alerts: readonly Alert[]): string[] =>
  alerts.filter(({ scope }) => scope !== 'outside').map(({ name }) => name);

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
