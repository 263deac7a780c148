// The part on residential data: the balance with its forecast, and what was used by day.

import type { Ledger, LedgerDay, Page } from './answers.ts';
import { bytes } from './format.ts';
import { Plot } from './plot.ts';
import { Section } from './section.ts';
import { part } from './show.ts';
import { balanceView, daySums, dayTable } from './views/balance.ts';
import { withFreshness } from './views/freshness.ts';

const POWERS = Array.from({ length: 60 }, (_, power) => 2 ** power);

export const balancePart = (
  account: string,
  told: (ledger: Page<Ledger> | null) => void,
): (() => Promise<void>) => {
  const only = `account=${encodeURIComponent(account)}`;
  const plot = new Plot({
    ...{ figure: part('balance-plot'), kind: 'bars', steps: POWERS },
    timeWords: (at) => new Date(at * 1000).toISOString().slice(0, 10),
    series: [{ colour: 'accent', label: 'used', words: bytes }],
  });
  const ledger = new Section<Page<Ledger>>({
    element: part('balance-now'),
    path: () => `api/v1/ledger?${only}`,
    draw: (page) => {
      told(page);
      const [now, ledger] = [Date.now(), page?.data[0]];
      return withFreshness({ known: page?.freshness?.[0], now, isEmpty: !ledger?.balance }, () =>
        balanceView(ledger, now),
      );
    },
  });
  const days = new Section<Page<LedgerDay>>({
    element: part('balance-days'),
    path: () => `api/v1/ledger/days?${only}&limit=1000`,
    draw: (page) => {
      const sums = daySums(page?.data ?? []);
      part('balance-history').hidden = sums.length === 0;
      if (sums.length > 0)
        plot.show([sums.map(({ date }) => Date.parse(date) / 1000), sums.map(({ used }) => used)]);
      return dayTable(sums);
    },
  });
  return async () => {
    await Promise.all([ledger.refresh(), days.refresh()]);
  };
};
