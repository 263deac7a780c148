// Tests when maintenance windows and silences are in effect, against the clocks of many time zones as Intl shows them.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AlertMutes } from '../../src/alerts/muting/alert-mutes.ts';
import {
  HORIZON_MS,
  isInEffect,
  nextChange,
  type WindowOptions,
  windowOptions,
} from '../../src/alerts/muting/maintenance-window.ts';
import { DAY, HOUR, MINUTE } from '../../src/lib/time.ts';
import type { Silence, SilenceStore, StoredAlert } from '../../src/store/alert-store.ts';
import { reasonOf } from '../../src/store/notice.ts';

/** Zones whose clocks change at midnight, by half an hour or two hours, or that are off by parts of an hour. */
const UNUSUAL_ZONES = [
  ...['Europe/Paris', 'America/New_York', 'America/St_Johns', 'America/Santiago', 'Africa/Cairo'],
  ...['Asia/Beirut', 'Africa/Casablanca', 'Australia/Lord_Howe', 'Pacific/Chatham', 'Antarctica/Troll'],
  ...['Asia/Kathmandu', 'Pacific/Apia', 'America/Asuncion', 'Atlantic/Azores', 'UTC'],
];
const zones = fc.oneof(
  fc.constantFrom(...UNUSUAL_ZONES),
  fc.constantFrom(...Intl.supportedValuesOf('timeZone')),
);

const FIRST = Date.parse('2026-01-01T00:00:00Z');
const YEARS = 3;
/** All limits are multiples of this, also after clocks have changed. */
const STEP = 5 * MINUTE;

const formatters = new Map<string, Intl.DateTimeFormat>();

/** Returns the weekday and the minute of the day that a clock in the zone shows. */
const shownAt = (zone: string, at: number): { readonly weekday: string; readonly minute: number } => {
  const options = { timeZone: zone, weekday: 'short', hour: '2-digit', minute: '2-digit' } as const;
  const formatter =
    formatters.get(zone) ?? new Intl.DateTimeFormat('en-GB', { ...options, hourCycle: 'h23' });
  formatters.set(zone, formatter);
  const [weekday = '', hour, minute] = formatter.format(at).split(/[,:]? |:/);
  return { weekday: weekday.toLowerCase(), minute: Number(hour) * 60 + Number(minute) };
};

const WEEK = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];

/** Whether the clock of the zone shows a time of the window. */
const isShown = ({ days, hours, time_zone: zone = 'UTC' }: WindowOptions, at: number): boolean => {
  const { weekday, minute } = shownAt(zone, at);
  const yesterday = WEEK[(WEEK.indexOf(weekday) + 6) % 7] ?? '';
  const beginsOn = (day: string) => days === undefined || (days as readonly string[]).includes(day);
  const [from, to] = [hours.from / MINUTE, hours.to / MINUTE];
  const isAfterStart = minute >= from && beginsOn(weekday);
  return from < to ? isAfterStart && minute < to : isAfterStart || (minute < to && beginsOn(yesterday));
};

/** Returns the days at whose beginning or end in UTC the zone has different offsets, by comparing what clocks show. */
const changesOf = (zone: string): number[] => {
  const found: number[] = [];
  for (let at = FIRST; at < FIRST + YEARS * 365 * DAY; at += DAY)
    if (shownAt(zone, at).minute !== shownAt(zone, at + DAY).minute) found.push(at);
  return found;
};
const knownChanges = new Map<string, number[]>();

/** Returns instants, most of them near a change of the zone's clocks. */
const instantsIn = (zone: string): fc.Arbitrary<number> => {
  const changes = knownChanges.get(zone) ?? changesOf(zone);
  knownChanges.set(zone, changes);
  const anywhere = fc.integer({ min: FIRST, max: FIRST + YEARS * 365 * DAY });
  if (changes.length === 0) return anywhere;
  const near = fc
    .tuple(fc.constantFrom(...changes), fc.integer({ min: -DAY, max: 2 * DAY }))
    .map(([change, distance]) => change + distance);
  return fc.oneof({ weight: 3, arbitrary: near }, { weight: 1, arbitrary: anywhere });
};

const two = (part: number): string => String(part).padStart(2, '0');
const clockTime = fc
  .integer({ min: 0, max: DAY / STEP - 1 })
  .map((steps) => `${two(Math.floor(steps / 12))}:${two((steps % 12) * 5)}`);
/** Hours around those in which clocks usually change are more frequent. */
const hours = fc.oneof(
  fc.constantFrom('00-24', '02-03', '01:30-02:15', '02:30-03', '23-01', '00-01', '22:30-02'),
  fc
    .tuple(clockTime, clockTime)
    .filter(([from, to]) => from !== to && to !== '00:00')
    .map(([from, to]) => `${from}-${to}`),
);
const days = fc.option(fc.uniqueArray(fc.constantFrom(...WEEK), { minLength: 1 }), { nil: undefined });

const windowIn = (zone: string): fc.Arbitrary<WindowOptions> =>
  fc
    .record({ name: fc.constant('w'), days, hours, time_zone: fc.constant(zone) })
    .map((window) => windowOptions.parse([window])[0] as WindowOptions);

const cases = zones.chain((zone) => fc.tuple(windowIn(zone), instantsIn(zone)));

describe('a maintenance window', () => {
  it('is in effect exactly while the clocks of its zone show its hours on its days', () => {
    fc.assert(
      fc.property(cases, ([window, at]) => {
        const schedule = { ...window, time_zone: window.time_zone ?? '' };
        expect(isInEffect(schedule, at)).toBe(isShown(window, at));
      }),
      { numRuns: 500 },
    );
  });

  it('changes next at the first instant that differs', () => {
    fc.assert(
      fc.property(cases, ([window, at]) => {
        const schedule = { ...window, time_zone: window.time_zone ?? '' };
        const change = firstDifference((at) => isShown(window, at), at);
        // Every window changes within a month, unless it is always in effect.
        expect(nextChange(schedule, at)).toBe(change === at + HORIZON_MS ? Number.POSITIVE_INFINITY : change);
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    ['before clocks go forward past it', 'Europe/Paris', '02-03', '2026-03-29T00:30:00Z', null],
    ['twice when clocks go back', 'Europe/Paris', '02-03', '2026-10-25T00:30:00Z', '2026-10-25T02:00:00Z'],
    ['also behind midnight', 'Europe/Paris', '22-02', '2026-07-04T21:00:00Z', '2026-07-05T00:00:00Z'],
  ])('is in effect %s', (_, time_zone, hours, at, end) => {
    const [window] = windowOptions.parse([{ name: 'w', days: ['sat', 'sun'], hours, time_zone }]);
    const schedule = { ...(window as WindowOptions), time_zone };
    expect(isInEffect(schedule, Date.parse(at))).toBe(end !== null);
    if (end) expect(new Date(nextChange(schedule, Date.parse(at))).toISOString()).toContain(end.slice(0, 19));
  });
});

/** Steps through time until the state differs, or to the horizon. */
const firstDifference = (stateAt: (at: number) => boolean, start: number): number => {
  const before = stateAt(start);
  for (let at = Math.floor(start / STEP + 1) * STEP; at < start + HORIZON_MS; at += STEP)
    if (stateAt(at) !== before) return at;
  return start + HORIZON_MS;
};

/** A store whose silences are given. */
const storeOf = (silences: readonly Silence[]): SilenceStore => ({
  all: async () => [...silences],
  add: async () => {},
  end: async () => {},
  remove: async () => {},
});

const ALERT: StoredAlert = {
  ...{ account: 'main', alert: 'ProxyFailing', labels: { proxy_id: 'fr-1' }, severity: 'warning', value: 1 },
  ...{ step: 0, since: 0, firingSince: 0, absentSince: null, skippedMs: 0, endedAt: null },
};

const silenceOf = (start: number) =>
  fc
    .record({
      from: fc.integer({ min: -10, max: 40 }),
      length: fc.integer({ min: 1, max: 20 }),
      account: fc.constantFrom(null, 'main', 'other'),
      alert: fc.constantFrom(null, 'ProxyFailing', 'DataStale'),
      subject: fc.constantFrom(null, 'fr-1', 'proxy_id=fr-1', 'fr-2', 'url=fr-1'),
      // The alert began before all silences.
      untilResolved: fc.boolean(),
    })
    .map(({ from, length, ...scope }) => {
      const startsAt = Math.floor(start / STEP) * STEP + from * STEP;
      return {
        ...{ id: 's', comment: 'planned', ...scope },
        ...{ startsAt, endsAt: startsAt + length * STEP },
      };
    });

/** Whether a silence matches the alert above, by the rule as the documentation has it. */
const matches = ({ account, alert, subject }: Silence): boolean =>
  account !== 'other' && alert !== 'DataStale' && subject !== 'fr-2' && subject !== 'url=fr-1';

describe('an alert', () => {
  it('is muted until the first instant at which no silence and no window mutes it', async () => {
    const mutedCases = zones.chain((zone) =>
      instantsIn(zone).chain((at) =>
        fc.record({
          at: fc.constant(at),
          later: fc.integer({ min: 0, max: 600 }),
          windows: fc.array(windowIn(zone), { maxLength: 3 }),
          silences: fc.array(silenceOf(at), { maxLength: 6 }),
        }),
      ),
    );
    let mutedCount = 0;
    await fc.assert(
      fc.asyncProperty(mutedCases, async ({ at, later, windows, silences }) => {
        const mutes = new AlertMutes(storeOf(silences));
        await mutes.load();
        mutes.configure(windows, 'UTC');
        const isMuted = (instant: number): boolean =>
          windows.some((window) => isShown(window, instant)) ||
          silences.some(
            (silence) => matches(silence) && silence.startsAt <= instant && instant < silence.endsAt,
          );
        // Ends are remembered, so a later question may get an earlier answer.
        for (const instant of [at, at + later * STEP, at]) {
          const until = mutes.mutedUntil(ALERT, instant);
          if (isMuted(instant)) mutedCount += 1;
          const first = isMuted(instant) ? firstDifference(isMuted, instant) : undefined;
          // An end beyond the horizon is only known to be that far ahead.
          if (first !== undefined && first >= at + HORIZON_MS)
            expect(until).toBeGreaterThanOrEqual(at + HORIZON_MS);
          else expect([until, mutes.muted(ALERT, instant)?.until]).toEqual([first, first]);
        }
      }),
      { numRuns: 150 },
    );
    expect(mutedCount).toBeGreaterThan(30);
  });

  it('without an account is muted only by silences and windows that name no account', async () => {
    const daemonAlert = { ...ALERT, account: '', alert: 'StoreFailing', labels: {} };
    const mutes = new AlertMutes(storeOf([]));
    const window = { name: 'w', hours: '00-24' };
    mutes.configure(windowOptions.parse([{ ...window, accounts: ['main'] }]), 'UTC');
    expect(mutes.mutedUntil(daemonAlert, FIRST)).toBe(undefined);
    expect(mutes.mutedUntil(ALERT, FIRST)).toBe(FIRST + HORIZON_MS);
    mutes.configure(windowOptions.parse([{ ...window, alerts: ['StoreFailing'] }]), 'UTC');
    expect(mutes.mutedUntil(daemonAlert, FIRST)).toBe(FIRST + HORIZON_MS);
    expect(mutes.mutedUntil(ALERT, FIRST + HOUR)).toBe(undefined);
  });

  it('is muted by the silence of its own subject, among hundreds for other subjects', async () => {
    const many = Array.from({ length: 500 }, (_, index) => ({
      ...{ id: `${index}`, account: 'main', alert: null, subject: `user-${index}`, comment: 'planned' },
      ...{ startsAt: FIRST, endsAt: FIRST + HOUR, untilResolved: false },
    }));
    const mutes = new AlertMutes(storeOf(many));
    await mutes.load();
    const muted = (user: string) => mutes.muted({ ...ALERT, labels: { proxy_user_id: user } }, FIRST);
    expect(muted('user-7')).toEqual({
      until: FIRST + HOUR,
      by: [reasonOf('silence', { silence: '7', comment: 'planned', until: FIRST + HOUR })],
    });
    expect(muted('user-500')).toBe(undefined);
  });
});
