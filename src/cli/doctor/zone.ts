// Which time zone the provider's datetimes are in, told from the newest minutes with traffic: pure.

import { HOUR, MINUTE, zoneOffset } from '../../lib/time.ts';
import { formatLocal } from '../../provider/time.ts';
import { type Finding, failed, ok, unknown, warning } from './finding.ts';

export interface ZoneEvidence {
  /** Starts of minutes with traffic, ascending, as labelled: as if the provider's zone were UTC (ms). */
  readonly minutes: readonly number[];
  /** Present time by the provider's clock (ms). */
  readonly now: number;
  /** As configured. */
  readonly zone: string;
}

/** A newest minute older than this says that there is no traffic now, or that the zone is another. */
const RECENT_MS = 45 * MINUTE;
/** How late a provider may publish its minutes for another zone to be believed. */
const LATE_MS = 20 * MINUTE;
/** What clocks may differ by, and a minute begun. */
const EARLY_MS = 2 * MINUTE;
/** Minutes with traffic in the hour before the newest, from which on it would hardly have stopped by chance. */
const STEADY_MINUTES = 30;

export const judgeZone = (subject: string, { minutes, now, zone }: ZoneEvidence): Finding => {
  const newest = minutes.at(-1);
  if (newest === undefined) {
    return unknown(
      subject,
      `whether it is ${zone} cannot be checked: no traffic in the last hours`,
      'look again while there is some',
    );
  }
  const label = formatLocal(newest, 'UTC').slice(0, 16);
  const age = now + zoneOffset(zone, now) - newest;
  if (age >= -EARLY_MS && age <= RECENT_MS) {
    return ok(subject, `the newest minute with traffic, ${label}, fits ${zone}`);
  }
  const fitting = fittingOffset(newest - now, now);
  const found = `the newest minute with traffic is labelled ${label}, in ${zone} ${distance(age)}`;
  if (fitting === undefined && age > 0) {
    return unknown(
      subject,
      `${found}, so the zone cannot be checked`,
      'run doctor again while there is traffic',
    );
  }
  const advice = fitting === undefined ? 'set time_zone to that of the provider' : settingOf(fitting, now);
  const isSure = age < 0 || isSteady(minutes, newest);
  return isSure
    ? failed(subject, found, advice)
    : warning(subject, found, `if there was traffic since, ${advice}`);
};

const isSteady = (minutes: readonly number[], newest: number): boolean =>
  minutes.filter((at) => at > newest - HOUR).length >= STEADY_MINUTES;

const distance = (age: number): string => {
  const hours = Math.abs(age) / HOUR;
  return `${hours.toFixed(1)} hours ${age < 0 ? 'in the future' : 'ago'}`;
};

/** Zones that providers are likely to keep, at least one for each offset of parts of an hour. */
const PLACES = [
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

/** Whole hours from UTC that some place on earth has. */
const WHOLE_HOURS = Array.from({ length: 27 }, (_, index) => (index - 12) * HOUR);

/** The offset from UTC in which a label that is `ahead` of UTC (ms) is of now or little before; whole hours first. */
const fittingOffset = (ahead: number, now: number): number | undefined => {
  const offsets = new Set([...WHOLE_HOURS, ...PLACES.map((place) => zoneOffset(place, now))]);
  const fitting = [...offsets].filter((offset) => offset >= ahead - EARLY_MS && offset <= ahead + LATE_MS);
  const oddness = (offset: number): number => (offset % HOUR === 0 ? 0 : LATE_MS / 2);
  return fitting.toSorted((a, b) => a + oddness(a) - b - oddness(b))[0];
};

const settingOf = (offset: number, now: number): string => {
  const places = PLACES.filter((place) => zoneOffset(place, now) === offset);
  const settings = [...places, ...(offset === 0 ? [] : fixedZone(offset))];
  const which = settings.length > 1 ? ', whichever it is' : '';
  return `set ${settings.map((zone) => `time_zone: ${zone}`).join(' or ')}${which}`;
};

/** `Etc/GMT` zones have whole hours alone, and the sign turned round. */
const fixedZone = (offset: number): string[] =>
  offset % HOUR === 0 ? [`Etc/GMT${offset > 0 ? '-' : '+'}${Math.abs(offset) / HOUR}`] : [];
