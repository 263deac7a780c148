// Fills the section about residential data: the balance with its forecast, and use by day.

import type { Ledger, LedgerDay, Page, Unknown } from '../answers.ts';
import { bytes } from '../format.ts';
import { Plot } from '../plot.ts';
import { elementById } from '../show.ts';
import { balanceView, type DaySums, daySums, dayTable } from '../views/balance.ts';
import type { Mark } from '../views/events.ts';
import { withFreshness } from '../views/freshness.ts';
import { Section } from './section.ts';

/** Returns the mark of a day that the provider corrected, which is in the middle of the day's bar. */
const correctionOf = ({ date, correctedAt: read_at }: DaySums): Mark[] => {
  if (read_at === null) return [];
  const event = { kind: 'late_change', count: 1, alert: null, comment: null, read_at } as const;
  return [{ at: Date.parse(date) + BAR_MIDDLE_MS, event }];
};

/** A bar begins with its day, and fills 0.7 of it. */
const BAR_MIDDLE_MS = 0.35 * 86_400_000;

/** `onAnswer` gets each new ledger for the top of the page, or that it is unknown. Returns a function that refreshes the section. */
export const setUpBalance = (
  account: string,
  onAnswer: (ledger: Page<Ledger> | null | Unknown) => void,
): (() => Promise<void>) => {
  const accountQuery = `account=${encodeURIComponent(account)}`;
  const plot = new Plot({
    ...{ figure: elementById('balance-plot'), kind: 'bars', times: 'days' },
    series: [{ colour: 'accent', label: 'used', format: bytes }],
  });
  const ledger = new Section<Page<Ledger>>({
    element: elementById('balance-now'),
    path: () => `api/v1/ledger?${accountQuery}`,
    draw: (page) => {
      onAnswer(page);
      const [now, ledger] = [Date.now(), page?.data[0]];
      return withFreshness({ freshness: page?.freshness?.[0], now, isEmpty: !ledger?.balance }, () =>
        balanceView(ledger, now),
      );
    },
    onError: () => onAnswer('unknown'),
  });
  const days = new Section<Page<LedgerDay>>({
    element: elementById('balance-days'),
    path: () => `api/v1/ledger/days?${accountQuery}&limit=1000`,
    draw: (page) => {
      const sums = daySums(page?.data ?? []);
      elementById('balance-history').hidden = sums.length === 0;
      if (sums.length > 0)
        plot.show([sums.map(({ date }) => Date.parse(date) / 1000), sums.map(({ used }) => used)]);
      plot.mark(sums.flatMap(correctionOf));
      return dayTable(sums);
    },
  });
  return async () => {
    await Promise.all([ledger.refresh(), days.refresh()]);
  };
};
