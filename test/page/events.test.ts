// Tests the events of plots: how they are put into words, joined where they are too near, and listed.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Event } from '../../src/page/answers.ts';
import {
  eventList,
  joinMarks,
  type Mark,
  marksOf,
  unknownEvents,
  wordsOf,
} from '../../src/page/views/events.ts';

const AT = '2026-03-01T12:00:00.000Z';
const event = (kind: Event['kind'], values: Partial<Event> = {}): Event => ({
  ...{ kind, at: AT, until: AT, count: 1, read_at: null, alert: null, comment: null },
  ...{ type: null, status: null, by: null, service_id: null, changes: null, reason: null },
  ...values,
});
const words = (...events: readonly Event[]): string => wordsOf(marksOf(events));
const textOf = (markup: unknown): string => String(markup).replaceAll(/<[^>]*>|\n/g, '');

describe('the words of a mark', () => {
  it.each([
    ['proxywatch restarted', [event('restart')]],
    ['1 proxy added, 3 proxies removed', [event('proxy_appeared'), event('proxy_gone', { count: 3 })]],
    ['3 proxies added', [event('proxy_appeared', { count: 2 }), event('proxy_appeared')]],
    [
      'a silence began: CollectorFailing: Planned work',
      [event('silence_begin', { alert: 'CollectorFailing', comment: 'Planned work' })],
    ],
    ['2 silences ended', [event('silence_end', { comment: 'a' }), event('silence_end', { comment: 'b' })]],
  ])('are %s', (text, events) => {
    expect(words(...events)).toBe(text);
  });

  it('say what an adjustment is, and what it changed', () => {
    const topUp = { type: 'top_up', status: 'complete', by: 'customer' };
    const changes = {
      ...{ quantity_before: 10, quantity_after: 12, expiry_before: AT, expiry_after: AT },
      ...{ total_before: null, total_after: 1_200 },
    };
    expect(words(event('adjustment', { ...topUp, changes }))).toBe(
      '1 adjustment of a service: top up, complete, by the customer, quantity from 10 to 12, price in cents 1,200',
    );
    const minutes = {
      ...changes,
      quantity_after: null,
      expiry_after: '2026-03-01T12:05:00.000Z',
      total_after: null,
    };
    expect(words(event('adjustment', { type: 'extension', changes: minutes }))).toMatch(
      /: extension, expiry from \S+ \d\d:00 to \S+ \d\d:05$/,
    );
    const replaced = { type: 'proxy_replacement', reason: 'ip_reputation' };
    expect(words(event('adjustment', { ...topUp, count: 2 }), event('adjustment', replaced))).toBe(
      '2 adjustments of services: top up, complete, by the customer, 1 adjustment of a service: proxy replacement, ip reputation',
    );
    expect(words(event('proxy_gone', { count: 3, reason: 'outage' }))).toBe('3 proxies removed: outage');
  });

  it('say when a correction was seen', () => {
    expect(words(event('late_change', { read_at: AT }))).toMatch(
      /^the provider corrected earlier values: seen 2026-03-01 \d\d:\d\d$/,
    );
  });
});

describe('marks that are near each other', () => {
  const marksAt = (times: readonly number[]): Mark[] => times.map((at) => ({ at, event: event('restart') }));

  it('become one, and those outside of the plot are left out', () => {
    const placeOf = (at: number): number | null => (at < 0 ? null : at);
    const joined = joinMarks(marksAt([25, -3, 0, 9, 10]), placeOf, 10);
    expect(joined.map(({ place, marks }) => [place, marks.length])).toEqual([
      [0, 2],
      [10, 1],
      [25, 1],
    ]);
  });

  it('are all drawn, and no two groups touch', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(500)), fc.integer({ min: 1, max: 50 }), (times, width) => {
        const joined = joinMarks(marksAt(times), (at) => at, width);
        const drawn = joined.flatMap(({ marks }) => marks.map(({ at }) => at));
        expect(drawn).toEqual(times.toSorted((one, other) => one - other));
        for (const [index, { place }] of joined.entries())
          expect(place - (joined[index - 1]?.place ?? -width)).toBeGreaterThanOrEqual(width);
      }),
    );
  });
});

describe('the list of events', () => {
  it('begins with the newest, joins those of the same time, and escapes comments', () => {
    const later = event('silence_begin', { at: '2026-03-01T13:00:00.000Z', comment: '<b>' });
    const list = eventList(marksOf([event('proxy_gone'), event('proxy_appeared'), later]));
    const [, first, second] = String(list).split('<li>');
    expect(textOf(first)).toMatch(/a silence began: &lt;b&gt;$/);
    expect(textOf(second)).toMatch(/1 proxy removed, 1 proxy added$/);
    expect(textOf(list)).toMatch(/^Events: 2/);
  });

  it('is limited, and says how many it leaves out', () => {
    const events = Array.from({ length: 30 }, (_, hour) =>
      event('restart', { at: new Date(Date.parse(AT) + hour * 3_600_000).toISOString() }),
    );
    const list = eventList(marksOf(events));
    expect(String(list).match(/<li>/g)).toHaveLength(20);
    expect(textOf(list)).toContain('And 10 older ones');
  });

  it('says so if no event is known', () => {
    expect(textOf(eventList([]))).toBe('Events: none known');
  });
});

describe('what is not known', () => {
  const known = (subject: string | null, since: string | null, ageMs = 0, readsAdjustments = false): string =>
    textOf(
      unknownEvents(
        {
          ...{ subject, from: AT, restarts_known_since: since },
          ...{ inventory_known_since: since, late_changes_known_since: since, adjustments_known_since: null },
        },
        Date.parse(AT) + ageMs,
        readsAdjustments,
      ) ?? '',
    );

  it('is said for events that concern the plot', () => {
    expect(known('graph=', null)).toBe(
      'Restarts are not shown. Inventory changes are not shown. Corrections are not shown. ',
    );
    expect(known('proxy_id=p', null)).not.toContain('Corrections');
    expect(known('proxy_user_id=u', '2026-03-01T12:30:00.000Z')).toMatch(
      /^Restarts are known since \S+ \S+ $/,
    );
    expect(known('graph=', AT)).toBe('');
    expect(known('graph=', AT, 0, true)).toBe('Adjustments are not shown. ');
    expect(known('proxy_id=p', AT, 0, true)).toBe('');
    const week = 7 * 24 * 3_600_000;
    expect(known('graph=', AT, week)).toBe('');
    expect(known('graph=', AT, 2 * week)).toBe('Silences that ended more than a week ago are not shown. ');
  });
});
