// Tests which parts of a month are unknown at its edges, of services, and of lists that are cut.

import { describe, expect, test } from 'vitest';
import type { Invoice } from '../../../src/http/api/invoice/invoice-json.ts';
import { linesOf } from '../../../src/http/api/invoice/invoice-lines.ts';
import { unknownLedger, unknownServices } from '../../../src/http/api/invoice/unknown-parts.ts';
import { unknownUsers } from '../../../src/http/api/invoice/unknown-use.ts';
import { monthOf } from '../../../src/lib/calendar.ts';
import { DAY } from '../../../src/lib/time.ts';
import type { Listing } from '../../../src/store/listing.ts';

const at = (time: string): number => Date.parse(`2026-${time}Z`);
const MONTH = monthOf('2026-07', 'UTC');
const LATER = at('08-20T00:00');

describe('the ledger', () => {
  const unknownAt = (startedAt: string, found = {}) => {
    const time = at(startedAt);
    const listing: Listing = {
      ...{ beganAt: 0, baselinedAt: 0, completeStartedAt: time, completeAt: time },
      ...{ countedStartedAt: time, countedAt: time, undecodedRows: 0, storedAt: time },
    };
    const none = { untimedRows: 0, lateRowCount: 0, serviceCount: 0 };
    return unknownLedger('residential', listing, { ...none, ...found }, 'UTC', MONTH);
  };

  test('lacks the rows of its last day for three hours', () => {
    expect(unknownAt('08-01T00:00:01').map(({ dates }) => dates)).toEqual([['2026-07-31']]);
    expect(unknownAt('08-01T02:59:59').map(({ dates }) => dates)).toEqual([['2026-07-31']]);
    expect(unknownAt('08-01T03:00:00')).toEqual([]);
  });

  test('says that its lists are cut', () => {
    const cut = unknownAt('08-20T00:00', { lateRowCount: 1_001, serviceCount: 2_000 });
    expect(cut.map(({ message }) => message)).toEqual([
      'only the first 1000 of 1001 late rows are listed',
      'only the first 1000 of 2000 sums by service are listed',
    ]);
  });
});

describe('use', () => {
  const dayAt = (date: string, since: string, until: string) => ({
    ...{ day: at(`${date}T00:00`) / DAY, since: at(since), until: at(until) },
    ...{ isGiven: { residential: true, mobile: true }, hours: new Map() },
  });
  const next = (day: number) => new Date(day).toISOString().slice('2026-'.length, '2026-07-01'.length);
  /** Counts days from one date to another, between listings some seconds after midnight. */
  const days = (from: string, to: string) => {
    const [first, last] = [at(`${from}T00:00`), at(`${to}T00:00`)];
    return Array.from({ length: (last - first) / DAY + 1 }, (_, index) => {
      const start = first + index * DAY;
      return dayAt(next(start), `${next(start)}T00:00:04`, `${next(start + DAY)}T00:00:04`);
    });
  };
  const unknownOf = (
    known: ReturnType<typeof days>,
    { after, now = LATER, users = 1 }: { after?: (typeof known)[number]; now?: number; users?: number } = {},
  ) => {
    const first = Array.from({ length: users });
    const use = { json: { deleted_users: 0 }, first, days: known, next: after };
    return unknownUsers(use, 'UTC', MONTH, now).map(({ message, dates }) => [message, dates]);
  };

  test('is whole if the listings around the midnights have it', () => {
    const [after] = days('08-01', '08-01');
    expect(unknownOf(days('07-01', '07-31'), after ? { after } : {})).toEqual([]);
    expect(unknownOf(days('07-01', '07-31'))).toEqual([]);
    expect(unknownOf(days('07-01', '07-19'), { now: at('07-20T01:59') })).toEqual([]);
  });

  test('lacks what the daemon did not see at the end of the month', () => {
    const stopped = [...days('07-01', '07-30'), dayAt('07-31', '07-31T00:00:04', '07-31T12:00:04')];
    const lost = [['the use after 2026-07-31T12:00:04.000Z was not counted', ['2026-07-31']]];
    expect(unknownOf(stopped)).toEqual(lost);
    expect(unknownOf(stopped, { now: at('08-01T00:15') })).toEqual(lost);
    const [after] = days('08-02', '08-02');
    expect(unknownOf(stopped, after ? { after } : {})).toEqual(lost);
    expect(unknownOf(stopped, { after: dayAt('08-01', '07-31T12:00:04', '08-01T09:00:00') })).toEqual([
      [
        'the use after 2026-07-31T12:00:04.000Z was counted together with 2026-08-01, after the month',
        ['2026-07-31'],
      ],
    ]);
  });

  test('of a pause is counted on the day after it', () => {
    expect(
      unknownOf([dayAt('07-05', '06-25T12:00:00', '07-06T00:00:04'), ...days('07-06', '07-31')]),
    ).toEqual([
      [
        'the use of these days was counted together with 2026-07-05',
        ['2026-07-01', '2026-07-02', '2026-07-03', '2026-07-04'],
      ],
      ['the use since 2026-06-25T12:00:00.000Z, before the month, was counted on this day', ['2026-07-05']],
    ]);
  });

  test('between two histories is unknown', () => {
    const known = [
      ...days('07-01', '07-09'),
      dayAt('07-10', '07-10T00:00:04', '07-10T12:00:04'),
      dayAt('07-13', '07-13T08:00:00', '07-14T00:00:04'),
      ...days('07-14', '07-31'),
    ];
    expect(unknownOf(known)).toEqual([
      ['the use of these days was not counted', ['2026-07-11', '2026-07-12']],
      ['the use after 2026-07-10T12:00:04.000Z was not counted', ['2026-07-10']],
      ['the use before 2026-07-13T08:00:00.000Z was not counted', ['2026-07-13']],
    ]);
  });

  test('has all users as a sum, and names the first', () => {
    expect(unknownOf(days('07-01', '07-31'), { users: 1_000 })).toEqual([
      ['only the 1000 users with the most bytes are listed', []],
    ]);
    const empty = { reasons: [], ledger_services: [], late_rows: [], users: [], services: [] };
    const use = { bytes: { residential: 7, mobile: null } };
    const invoice = { ...empty, use, differences: [], unknown: [] } as unknown as Invoice;
    expect(linesOf(invoice).filter(({ line }) => line === 'all_users')).toMatchObject([
      { product_type: 'residential', used_bytes: 7 },
      { product_type: 'mobile', used_bytes: null },
    ]);
  });
});

describe('services', () => {
  const attempt = (id: string, values: object = {}) => ({
    ...{ id, answeredAt: at('08-01T00:10'), notFoundAnswers: 0, expiresAt: null, ...values },
  });
  const unknownOf = (known: Partial<Parameters<typeof unknownServices>[0]>, now = LATER) => {
    const none = {
      services: [],
      referencedIds: [],
      idsOfMonth: new Set<string>(),
      attempts: [],
      wasRead: true,
    };
    return unknownServices({ ...none, ...known }, MONTH, now).map(({ message }) => message);
  };

  test('that were never read are unknown', () => {
    const never = ['proxywatch has not read the services yet'];
    expect(unknownOf({ wasRead: false })).toEqual(never);
    expect(unknownOf({ wasRead: false, referencedIds: ['A'] })).toEqual(never);
    // An account may have none.
    expect(unknownOf({})).toEqual([]);
    const ids = ['A', 'B', 'C', 'D', 'E', 'F', 'G'];
    expect(unknownOf({ referencedIds: ids, attempts: [attempt('A')] })).toEqual([
      'the provider has not answered about these yet: B, C, D, E, F and 1 more',
    ]);
  });

  test('that were read too early are named with the time', () => {
    const services = [
      { id: 'A', answeredAt: at('07-10T10:00') },
      { id: 'B', answeredAt: at('07-31T23:59') },
    ];
    expect(unknownOf({ services })).toEqual([
      'last read at 2026-07-10T10:00:00.000Z or later, before the end of the month: A, B',
    ]);
    expect(unknownOf({ services: services.slice(0, 1) }, at('07-10T12:00'))).toEqual([
      'last read at 2026-07-10T10:00:00.000Z, more than an hour ago: A',
    ]);
    expect(unknownOf({ services: services.slice(0, 1) }, at('07-10T10:30'))).toEqual([]);
  });

  test('that the provider no longer finds are named', () => {
    const attempts = [
      attempt('removed', { notFoundAnswers: 2 }),
      attempt('once', { notFoundAnswers: 1 }),
      attempt('ended', { notFoundAnswers: 2, expiresAt: at('06-30T00:00') }),
      attempt('charged', { notFoundAnswers: 2, answeredAt: null }),
      attempt('old', { notFoundAnswers: 2, answeredAt: null }),
    ];
    expect(unknownOf({ attempts, idsOfMonth: new Set(['charged']) })).toEqual([
      'the provider no longer finds these, which are not listed: removed, charged',
    ]);
  });
});
