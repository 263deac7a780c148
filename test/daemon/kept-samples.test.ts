// Tests for how long samples are kept that are too new for a receiver's clock, and how the log describes them.

import { describe, expect, it } from 'vitest';
import { keptEarly } from '../../src/daemon/remote-write/deliver.ts';
import { ReceiverLog } from '../../src/daemon/remote-write/receiver-log.ts';
import { DAY, HOUR, MINUTE } from '../../src/lib/time.ts';
import { seriesOf } from '../remote-write/support.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { type LogLine, recordingLog } from '../support/recording-log.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');

describe('samples that are too new wait', () => {
  it.each<[string, number | undefined, number, number]>([
    ['until the clock has reached the oldest', 25 * MINUTE, 0, 15 * MINUTE],
    ['an hour at most', 5 * HOUR, 0, HOUR],
    ['a minute if the answer is not from the clock that refused them', 0, 0, MINUTE],
    ['a minute if the answer has no time', undefined, 0, MINUTE],
    ['longer, the longer they have waited', 0, 2 * HOUR + 2, HOUR / 2 + 1],
    ['an hour at most, also after a day', undefined, DAY, HOUR],
    ['a minute if this clock went back', 0, -DAY, MINUTE],
  ])('%s', (_, behindMs, keptMs, waitMs) => {
    const early = { reason: 'too new', behindMs, batch: [seriesOf('a', [NOW])] };
    const [kept, ...others] = keptEarly(early, NOW, NOW - keptMs);
    expect(others).toEqual([]);
    expect(kept).toMatchObject({ samples: 1, at: NOW - keptMs, waitMs: keptMs + waitMs, firstAt: NOW });
  });
});

describe('the log', () => {
  it.each<[number | undefined, number, string]>([
    [5 * HOUR, 1, 'too new; 1 sample waits for the clock of the receiver, which is 5h behind'],
    [0, 7, 'too new; 7 samples wait for the clock of the receiver, which is not behind'],
    [undefined, 7, 'too new; 7 samples wait for the clock of the receiver'],
  ])(
    'says how far a clock that is %s ms behind is behind, and that %i samples wait',
    (behindMs, count, reason) => {
      const lines: LogLine[] = [];
      const log = new ReceiverLog(new FakeClock(NOW), recordingLog(lines));
      log.waiting(count);
      expect([log.earlyReason, lines]).toEqual([undefined, []]);
      log.sent({ accepted: 0, refused: 0, early: { reason: 'too new', behindMs, batch: [] } });
      for (const _ of [1, 2]) log.waiting(count);
      expect([log.earlyReason, lines.map(({ fields }) => fields.reason)]).toEqual([reason, [reason]]);
      log.waiting(0);
      expect(log.earlyReason).toBeUndefined();
    },
  );
});
