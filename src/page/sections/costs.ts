// Fills the sections about cost, about charged use in the last 7 days, and about failed requests of the last 24 hours.

import type { Cost, Page, RequestErrors, Usage } from '../answers.ts';
import { checkedOf } from '../choice.ts';
import { html, type Markup } from '../html.ts';
import { elementById } from '../show.ts';
import { costView, type UsageBy, usageTable } from '../views/cost.ts';
import { costTable, type ErrorsBy, reasonTable } from '../views/errors.ts';
import { withFreshness } from '../views/freshness.ts';
import { Section } from './section.ts';

const DAYS = 7;
const DAY_MS = 86_400_000;
const LIMIT = '10';

type Refresh = () => Promise<void>;

/** Returns a function that refreshes the element with the answer to `path`. */
const sectionOf = <T extends Partial<Pick<Usage, 'freshness'>>>(
  id: string,
  path: () => string,
  hasData: (answer: T) => boolean,
  view: (answer: T) => Markup,
): Refresh => {
  const section = new Section<T>({
    element: elementById(id),
    path: () => `api/v1/${path()}`,
    draw: (answer) =>
      withFreshness({ freshness: answer?.freshness?.[0], isEmpty: !answer || !hasData(answer) }, () =>
        answer ? view(answer) : html``,
      ),
  });
  return () => section.refresh();
};

export const setUpCost = (account: string): Refresh =>
  sectionOf<Page<Cost>>(
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
  return sectionOf<Usage>(
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
    sectionOf(
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
