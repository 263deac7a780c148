// Tests when a ticker is due.

import { describe, expect, it } from 'vitest';
import { Cron } from '../../src/lib/cron.ts';
import { HOUR, MINUTE, SECOND } from '../../src/lib/time.ts';
import { Ticker } from '../../src/schedule/ticker.ts';

const START = Date.parse('2026-07-01T12:00:30Z');
const everyMinute = (offsetMs = 0): Ticker => new Ticker([new Cron('* * * * *', 'UTC')], offsetMs, START);

/** Counts how often the ticker is due if it is called every second for `spanMs`. */
const countDue = (ticker: Ticker, from: number, spanMs: number): number => {
  let count = 0;
  for (let at = from; at <= from + spanMs; at += SECOND) count += Number(ticker.isDue(at));
  return count;
};

describe('Ticker', () => {
  it('is due once for each slot, also if it is called more often', () => {
    expect(countDue(everyMinute(), START, 10 * MINUTE)).toBe(10);
  });

  it('is due once for any number of missed slots', () => {
    const ticker = everyMinute();
    expect(ticker.isDue(START + 24 * HOUR)).toBe(true);
    expect(ticker.isDue(START + 24 * HOUR + SECOND)).toBe(false);
  });

  it('is due for a slot at a call one second after it', () => {
    expect(everyMinute().isDue(START + 31 * SECOND)).toBe(true);
  });

  it('continues immediately when the clock is set back', () => {
    const ticker = everyMinute();
    expect(ticker.isDue(START - HOUR)).toBe(false);
    expect(countDue(ticker, START - HOUR, 10 * MINUTE)).toBe(10);
  });

  it('shifts its slots by the offset', () => {
    expect(everyMinute(7_000).next).toBe(START + 37_000);
  });

  it('is due at the slots of every schedule', () => {
    const crons = [new Cron('0 * * * *', 'UTC'), new Cron('*/20 * * * *', 'UTC')];
    expect(countDue(new Ticker(crons, 0, START), START, HOUR)).toBe(3);
  });
});
