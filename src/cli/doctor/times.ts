// Checks the provider's clock, time zone and pace by the observations made during the other checks.

import { systemClock } from '../../lib/clock.ts';
import { HOUR, MINUTE, SECOND, zoneOffset } from '../../lib/time.ts';
import { formatLocal } from '../../provider/time.ts';
import { requestsPerSecond } from '../check-config.ts';
import { type AccountSession, hasAnswered, medianOf, providerNow } from './account-session.ts';
import { type CheckResult, failed, ok, unknown, warning } from './check-result.ts';
import { addMinutesOfOtherZones } from './traffic-minutes.ts';

/** The Date header has whole seconds, and an answer takes some time. */
const TOLERATED_OFFSET_MS = 5 * SECOND;
/** From this offset on, traffic is assigned to wrong minutes. */
const HARMFUL_OFFSET_MS = MINUTE;

export function* checkClock({ account, observations }: AccountSession): Generator<CheckResult> {
  if (!hasAnswered(observations) || observations.isWrongServer) return;
  const subject = `${account.name}: clock`;
  const offset = medianOf(observations.clockOffsets);
  if (offset === undefined) {
    yield unknown(subject, 'doctor could not check it, because the provider sends no Date header');
    return;
  }
  const seconds = Math.round(Math.abs(offset) / SECOND);
  const found = `this machine's clock is ${seconds} s ${offset > 0 ? 'behind' : 'ahead of'} the provider's`;
  const advice = 'Set the clock of this machine, for example with NTP.';
  if (Math.abs(offset) <= TOLERATED_OFFSET_MS)
    yield ok(subject, `this machine's clock is within ${TOLERATED_OFFSET_MS / SECOND} s of the provider's`);
  else
    yield Math.abs(offset) < HARMFUL_OFFSET_MS
      ? warning(subject, found, advice)
      : failed(subject, found, advice);
}

/** If the graph cannot be read, the finding of its endpoint reports why. */
export async function* checkZone(session: AccountSession): AsyncGenerator<CheckResult> {
  const { account, observations } = session;
  const { traffic, time_zone: zone } = account;
  const subject = `${account.name}: time zone`;
  if (observations.isWrongServer) return;
  if (!traffic)
    yield unknown(
      subject,
      `doctor could not check whether it is ${zone}, because the traffic collector is off`,
    );
  if (!observations.minutes) return;
  const minutes = await addMinutesOfOtherZones(session, observations.minutes);
  const now = providerNow(observations);
  if (minutes) yield zoneFinding(subject, { minutes, now, zone });
  else
    yield unknown(
      subject,
      `doctor could not check whether it is ${zone}, because analytics/graph did not answer`,
      'Run doctor again.',
    );
}

export function* checkPace({
  account,
  observations,
  settings,
  numbers,
}: AccountSession): Generator<CheckResult> {
  if (!hasAnswered(observations) || observations.isWrongServer) return;
  const subject = `${account.name}: pace`;
  const { requests } = observations;
  const refused = requests.filter(({ code }) => code === '429').length;
  const known = numbers.get(account.name);
  const needed = requestsPerSecond(account, settings.schedule_time_zone, systemClock.now(), known).toFixed(2);
  const found = `the provider answered 429 to ${refused} of ${requests.length} requests, at up to ${account.requests_per_second} a second, and the schedules need ${needed} a second`;
  const advice =
    'Lower requests_per_second, or find other programs that use these keys, such as a running daemon.';
  yield refused === 0 ? ok(subject, found) : warning(subject, found, advice);
}

interface ZoneEvidence {
  /** Starts of minutes with traffic, ascending, by their labels read as if they were in UTC (ms). */
  readonly minutes: readonly number[];
  /** Current time by the provider's clock (ms). */
  readonly now: number;
  /** The configured time zone. */
  readonly zone: string;
}

/** If the newest minute is older, there is no traffic now or the configured zone is wrong. */
const RECENT_MS = 45 * MINUTE;
/** How late the newest minute may be in another zone for that zone to be suggested. */
const LATE_MS = 20 * MINUTE;
/** Covers the difference of clocks and the current minute. */
const EARLY_MS = 2 * MINUTE;
/** With at least this many minutes of traffic in the hour before the newest, traffic hardly stopped by chance. */
const STEADY_MINUTES = 30;

export const zoneFinding = (subject: string, { minutes, now, zone }: ZoneEvidence): CheckResult => {
  const newest = minutes.at(-1);
  if (newest === undefined) {
    return unknown(
      subject,
      `doctor could not check whether it is ${zone}, because there was no traffic in the last hours`,
      'Run doctor again while there is traffic.',
    );
  }
  const label = formatLocal(newest, 'UTC').slice(0, 16);
  const age = now + zoneOffset(zone, now) - newest;
  if (age >= -EARLY_MS && age <= RECENT_MS) {
    return ok(subject, `the newest minute with traffic, ${label}, fits ${zone}`);
  }
  const fitting = findFittingOffset(newest - now, now);
  const found = `the newest minute with traffic has the time ${label}, which is ${distance(age)} in ${zone}`;
  if (fitting === undefined && age > 0) {
    return unknown(
      subject,
      `${found}, so doctor could not check the time zone`,
      'Run doctor again while there is traffic.',
    );
  }
  const advice =
    fitting === undefined ? 'set time_zone to the time zone of the provider' : settingOf(fitting, now);
  const isSure = age < 0 || isSteady(minutes, newest);
  return isSure
    ? failed(subject, found, `${advice.charAt(0).toUpperCase()}${advice.slice(1)}.`)
    : warning(subject, found, `If there was traffic after that minute, ${advice}.`);
};

const isSteady = (minutes: readonly number[], newest: number): boolean =>
  minutes.filter((at) => at > newest - HOUR).length >= STEADY_MINUTES;

const distance = (age: number): string => {
  const hours = Math.abs(age) / HOUR;
  return `${hours.toFixed(1)} hours ${age < 0 ? 'in the future' : 'ago'}`;
};

/** Zones that providers are likely to use, with at least one for each offset that is not a whole hour. */
const COMMON_ZONES = [
  'UTC',
  'Europe/London',
  'Europe/Paris',
  'Europe/Kyiv',
  'Europe/Moscow',
  'America/New_York',
  'America/Chicago',
  'America/Denver',
  'America/Los_Angeles',
  'America/Sao_Paulo',
  'America/St_Johns',
  'Asia/Tehran',
  'Asia/Dubai',
  'Asia/Kabul',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Asia/Yangon',
  'Asia/Singapore',
  'Asia/Tokyo',
  'Australia/Adelaide',
  'Australia/Sydney',
  'Pacific/Auckland',
];

/** All whole-hour offsets from UTC that are in use (ms). */
const WHOLE_HOURS = Array.from({ length: 27 }, (_, index) => (index - 12) * HOUR);

/** Returns the offset from UTC in which a label that is `ahead` of UTC (ms) is recent; whole hours are preferred. */
const findFittingOffset = (ahead: number, now: number): number | undefined => {
  const offsets = new Set([...WHOLE_HOURS, ...COMMON_ZONES.map((place) => zoneOffset(place, now))]);
  const fitting = [...offsets].filter((offset) => offset >= ahead - EARLY_MS && offset <= ahead + LATE_MS);
  const penalty = (offset: number): number => (offset % HOUR === 0 ? 0 : LATE_MS / 2);
  return fitting.toSorted((a, b) => a + penalty(a) - b - penalty(b))[0];
};

const settingOf = (offset: number, now: number): string => {
  const places = COMMON_ZONES.filter((place) => zoneOffset(place, now) === offset);
  const settings = [...places, ...(offset === 0 ? [] : fixedZone(offset))];
  const which = settings.length > 1 ? ', the one that the provider uses' : '';
  return `set ${settings.map((zone) => `time_zone: ${zone}`).join(' or ')}${which}`;
};

/** `Etc/GMT` zones exist only for whole hours, and their sign is inverted. */
const fixedZone = (offset: number): string[] =>
  offset % HOUR === 0 ? [`Etc/GMT${offset > 0 ? '-' : '+'}${Math.abs(offset) / HOUR}`] : [];
