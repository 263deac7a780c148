// Fills the section about residential or mobile data: the balance with its forecast, and use by day.

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

/** The section of each product type, the path of its ledger, and the product type in titles. */
export const BALANCES = {
  residential: ['balance', 'ledger', 'Residential'],
  mobile: ['mobile-balance', 'mobile-ledger', 'Mobile'],
} as const;

/** `onAnswer` gets each new ledger for the top of the page, or that it is unknown. Returns a function that refreshes the section. */
export const setUpBalance = (
  type: keyof typeof BALANCES,
  account: string,
  onAnswer: (ledger: Page<Ledger> | null | Unknown) => void,
): (() => Promise<void>) => {
  const accountQuery = `account=${encodeURIComponent(account)}`;
  const [id, path, kind] = BALANCES[type];
  const plot = new Plot({
    ...{ figure: elementById(`${id}-plot`), kind: 'bars', times: 'days' },
    series: [{ colour: 'accent', label: 'used', format: bytes }],
  });
  const ledger = new Section<Page<Ledger>>({
    element: elementById(`${id}-now`),
    path: () => `api/v1/${path}?${accountQuery}`,
    draw: (page) => {
      onAnswer(page);
      const [now, ledger] = [Date.now(), page?.data[0]];
      return withFreshness({ freshness: page?.freshness?.[0], now, isEmpty: !ledger?.balance }, () =>
        balanceView(kind, ledger, now),
      );
    },
    onError: () => onAnswer('unknown'),
  });
  const days = new Section<Page<LedgerDay>>({
    element: elementById(`${id}-days`),
    path: () => `api/v1/${path}/days?${accountQuery}&limit=1000`,
    draw: (page) => {
      const sums = daySums(page?.data ?? []);
      elementById(`${id}-history`).hidden = sums.length === 0;
      if (sums.length > 0)
        plot.show([sums.map(({ date }) => Date.parse(date) / 1000), sums.map(({ used }) => used)]);
      plot.mark(sums.flatMap(correctionOf));
      return dayTable(kind, sums);
    },
  });
  return async () => {
    await Promise.all([ledger.refresh(), days.refresh()]);
  };
};
