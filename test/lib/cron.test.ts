// Tests the slots of cron schedules.

import { getTasks } from 'node-cron';
import { describe, expect, it } from 'vitest';
import { Cron } from '../../src/lib/cron.ts';

const next = (expression: string, after: string, zone = 'UTC'): string => {
  return new Date(new Cron(expression, zone).next(Date.parse(after))).toISOString();
};

describe('Cron.next', () => {
  it.each([
    ['* * * * *', '2026-07-01T12:00:00Z', '2026-07-01T12:01:00.000Z'],
    ['* * * * *', '2026-07-01T11:59:59.999Z', '2026-07-01T12:00:00.000Z'],
    ['*/15 * * * *', '2026-07-01T12:00:30Z', '2026-07-01T12:15:00.000Z'],
    ['*/10 * * * * *', '2026-07-01T12:00:10Z', '2026-07-01T12:00:20.000Z'],
    ['35 4 * * *', '2026-07-01T04:35:00Z', '2026-07-02T04:35:00.000Z'],
    ['0 0 1 1 *', '2026-07-01T00:00:00Z', '2027-01-01T00:00:00.000Z'],
    ['0 0 29 2 *', '2026-07-01T00:00:00Z', '2028-02-29T00:00:00.000Z'],
    ['0 12 1 1 0', '1995-01-02T00:00:00Z', '2006-01-01T12:00:00.000Z'],
    ['0 0 29 2 1', '2072-03-01T00:00:00Z', '2112-02-29T00:00:00.000Z'],
    ['0 9 * * 1', '2026-07-01T00:00:00Z', '2026-07-06T09:00:00.000Z'],
  ])('%s after %s is %s', (expression, after, expected) => {
    expect(next(expression, after)).toBe(expected);
  });

  it('keeps local time over daylight saving', () => {
    expect(next('30 4 * * *', '2026-03-28T12:00:00Z', 'Europe/Paris')).toBe('2026-03-29T02:30:00.000Z');
    expect(next('30 4 * * *', '2026-03-27T12:00:00Z', 'Europe/Paris')).toBe('2026-03-28T03:30:00.000Z');
  });
});

describe('a schedule that runs at most every two hours', () => {
  it('has a skipped slot at the change of the clocks', () => {
    expect(next('30 2 * * *', '2026-03-28T12:00:00Z', 'Europe/Paris')).toBe('2026-03-29T01:00:00.000Z');
    expect(next('30 2 * * *', '2026-03-29T01:00:00Z', 'Europe/Paris')).toBe('2026-03-30T00:30:00.000Z');
    expect(next('0 0 * * *', '2026-03-07T12:00:00Z', 'America/Havana')).toBe('2026-03-08T05:00:00.000Z');
  });

  it('has a repeated slot only the first time', () => {
    expect(next('30 2 * * *', '2026-10-24T12:00:00Z', 'Europe/Paris')).toBe('2026-10-25T00:30:00.000Z');
    expect(next('30 2 * * *', '2026-10-25T00:30:00Z', 'Europe/Paris')).toBe('2026-10-26T01:30:00.000Z');
  });
});

describe('a schedule that runs more often', () => {
  it('follows the local time when clocks change', () => {
    expect(next('30 * * * *', '2026-03-29T00:30:00Z', 'Europe/Paris')).toBe('2026-03-29T01:30:00.000Z');
    expect(next('30 * * * *', '2026-10-25T00:30:00Z', 'Europe/Paris')).toBe('2026-10-25T01:30:00.000Z');
  });
});

describe('Cron.gap', () => {
  it('is the time between the next two slots', () => {
    expect(new Cron('*/5 * * * *', 'UTC').gap(Date.parse('2026-07-01T12:01:00Z'))).toBe(300_000);
    expect(new Cron('0 8,20 * * *', 'UTC').gap(Date.parse('2026-07-01T12:01:00Z'))).toBe(43_200_000);
  });
});

it('leaves nothing in memory when it is no longer used', () => {
  next('35 4 * * *', '2026-07-01T04:35:00Z');
  expect(getTasks().size).toBe(0);
});
