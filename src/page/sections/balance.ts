// Fills the sections about data and failures: balances, costs, charged use in 7 days, and failed requests of 24 hours.

import type { Cost, Ledger, LedgerDay, Page, RequestErrors, Unknown, Usage } from '../answers.ts';
import { checkedOf } from '../choice.ts';
import { bytes } from '../format.ts';
import { html, type Markup } from '../html.ts';
import { Plot } from '../plot.ts';
import { elementById } from '../show.ts';
import { balanceView, type DaySums, daySums, dayTable } from '../views/balance.ts';
import { costView, type UsageBy, usageTable } from '../views/cost.ts';
import { costTable, type ErrorsBy, reasonTable } from '../views/errors.ts';
import type { Mark } from '../views/events.ts';
import { withFreshness } from '../views/freshness.ts';
import { type Refresh, section, together } from './section.ts';

/** Returns the mark of a day that the provider corrected, which is in the middle of the day's bar. */
const correctionOf = ({ date, correctedAt: read_at }: DaySums): Mark[] => {
  if (read_at === null) return [];
  const event = { kind: 'late_change', count: 1, alert: null, comment: null, read_at } as const;
  return [{ at: Date.parse(date) + BAR_MIDDLE_MS, event }];
};

/** Returns the mark of bytes that were added on a day, such as a top-up. */
const additionOf = ({ date, reason, added_bytes }: LedgerDay): Mark[] => {
  if (added_bytes <= 0) return [];
  const comment = bytes(added_bytes);
  const event = {
    kind: 'addition',
    count: 1,
    alert: null,
    comment,
    read_at: null,
    type: reason,
  } as const;
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
): Refresh => {
  const accountQuery = `account=${encodeURIComponent(account)}`;
  const [id, path, kind] = BALANCES[type];
  const plot = new Plot({
    ...{ figure: elementById(`${id}-plot`), kind: 'bars', times: 'days' },
    series: [{ colour: 'accent', label: 'used', format: bytes }],
  });
  const ledger = section<Page<Ledger>>({
    element: elementById(`${id}-now`),
    path: () => `api/v1/${path}?${accountQuery}`,
    draw: (page) => {
      const [now, ledger] = [Date.now(), page?.data[0]];
      return withFreshness({ freshness: page?.freshness?.[0], now, isEmpty: !ledger?.balance }, () =>
        balanceView(kind, ledger, now),
      );
    },
    onAnswer,
  });
  const days = section<Page<LedgerDay>>({
    element: elementById(`${id}-days`),
    path: () => `api/v1/${path}/days?${accountQuery}&limit=1000`,
    draw: (page) => {
      const sums = daySums(page?.data ?? []);
      elementById(`${id}-history`).hidden = sums.length === 0;
      if (sums.length > 0)
        plot.show([sums.map(({ date }) => Date.parse(date) / 1000), sums.map(({ used }) => used)]);
      plot.mark([...sums.flatMap(correctionOf), ...(page?.data ?? []).flatMap(additionOf)]);
      return dayTable(kind, sums);
    },
  });
  return together([ledger, days]);
};

const DAYS = 7;
const DAY_MS = 86_400_000;
const LIMIT = '10';

/** Returns a function that refreshes the element with the answer to `path`. */
const tableOf = <T extends Partial<Pick<Usage, 'freshness'>>>(
  id: string,
  path: () => string,
  hasData: (answer: T) => boolean,
  view: (answer: T) => Markup,
): Refresh =>
  section<T>({
    element: elementById(id),
    path: () => `api/v1/${path()}`,
    draw: (answer) =>
      withFreshness({ freshness: answer?.freshness?.[0], isEmpty: !answer || !hasData(answer) }, () =>
        answer ? view(answer) : html``,
      ),
  });

export const setUpCost = (account: string): Refresh =>
  tableOf<Page<Cost>>(
    'cost-now',
    () => `cost?${new URLSearchParams({ account })}`,
    ({ data }) => data.length > 0,
    ({ data }) => costView(data[0]),
  );

/** Returns a function that refreshes the section. `onChange` is called when another kind of name is chosen. */
export const setUpUsage = (account: string, onChange: () => void): Refresh => {
  const by = (): UsageBy => checkedOf('usage-by') as UsageBy;
  elementById('usage-by').addEventListener('change', onChange);
  const from = () => new Date(Date.now() - (DAYS - 1) * DAY_MS).toISOString().slice(0, 'YYYY-MM-DD'.length);
  return tableOf<Usage>(
    'usage-table',
    () => `usage?${new URLSearchParams({ account, by: by(), from: from(), limit: LIMIT })}`,
    ({ data }) => data.length > 0,
    (answer) => usageTable(answer, by()),
  );
};

/** Returns functions that refresh the tables. `onChange` is called when another kind of name is chosen. */
export const setUpErrors = (account: string, onChange: () => void): Refresh[] => {
  const by = (): ErrorsBy => checkedOf('errors-by') as ErrorsBy;
  elementById('errors-by').addEventListener('change', onChange);
  const errors = (id: string, of: () => string, view: (answer: RequestErrors) => Markup): Refresh =>
    tableOf(
      id,
      () => `request-errors?${new URLSearchParams({ account, by: of(), limit: LIMIT })}`,
      ({ accounts }) => accounts[0]?.requests != null,
      view,
    );
  return [
    errors('error-reasons', () => 'class', reasonTable),
    errors('error-costs', by, (answer) => costTable(answer, by())),
  ];
};
