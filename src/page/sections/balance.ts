// Fills the section about residential data: the balance with its forecast, and use by day.

import type { Ledger, LedgerDay, Page, Unknown } from '../answers.ts';
import { bytes } from '../format.ts';
import { Plot } from '../plot.ts';
import { elementById } from '../show.ts';
import { balanceView, daySums, dayTable } from '../views/balance.ts';
import { withFreshness } from '../views/freshness.ts';
import { Section } from './section.ts';

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
      return dayTable(sums);
    },
  });
  return async () => {
    await Promise.all([ledger.refresh(), days.refresh()]);
  };
};
