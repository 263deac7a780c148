// The page of an account: figures, alerts, collectors, traffic, quotas, balance, proxy tests and the market.

import { SECTIONS } from '../address.ts';
import type { AlertGroups, Product, Quote, Service, Silences, Unknown, UserSummary } from '../answers.ts';
import { card, emptyNote, figure } from '../components.ts';
import { html, type Markup } from '../html.ts';
import { setUpList } from '../paged-list.ts';
import { setUpAlertHistory } from '../sections/alert-history.ts';
import { setUpBalance } from '../sections/balance.ts';
import { setUpTests } from '../sections/proxy-tests.ts';
import { setUpQuotas, setUpTopUsers, stateCounts } from '../sections/quotas.ts';
import { rangeControl, setUpRange } from '../sections/range-control.ts';
import { Section } from '../sections/section.ts';
import { setUpTraffic, trafficFrame } from '../sections/traffic.ts';
import { elementById, show } from '../show.ts';
import { alertTable } from '../views/alerts.ts';
import { collectorTable } from '../views/collectors.ts';
import { productTable, quoteTable, serviceTable } from '../views/market.ts';
import { silenceTable } from '../views/silences.ts';
import { type SummaryData, summaryView } from '../views/summary.ts';
import type { Page, PageContext, RunningPage } from './page.ts';

const trafficCard = card(
  {
    id: 'traffic',
    title: SECTIONS.traffic,
    controls: html`<label>Graph <select id="graph"></select></label>${rangeControl}`,
  },
  html`${trafficFrame}<h3>Proxy users with the most bytes</h3><div id="top-users"></div>`,
);

const quotaCard = card(
  {
    id: 'quotas',
    title: SECTIONS.quotas,
    controls: html`<fieldset class="segments"><legend class="unseen">Product type</legend>
<label><input type="radio" name="type" value="" checked><span>Residential</span></label><label><input type="radio" name="type" value="mobile"><span>Mobile</span></label>
</fieldset>`,
  },
  html`<div id="quota-states"></div><div id="quota-list"></div>`,
);

const balanceCard = card(
  { id: 'balance', title: SECTIONS.balance },
  html`<div class="columns"><div id="balance-now"></div>
<div id="balance-history" hidden>${figure('balance-plot', 'Used by day')}
<details><summary>Ledger by day as a table</summary><div id="balance-days"></div></details>
</div></div>`,
);

const testCard = card(
  { id: 'tests', title: SECTIONS.tests },
  html`<h3>Faults</h3><div id="faults"></div>
<h3>Proxies</h3><div id="proxies"></div>
<div class="columns"><div><h3>Targets</h3><div id="targets"></div></div><div><h3>Testers</h3><div id="testers"></div></div></div>`,
);

const marketCard = card(
  { id: 'market', title: SECTIONS.market },
  html`<h3>Services</h3><div id="services"></div>
<div class="columns"><div><h3>Orders</h3><div id="quotes"></div></div><div><h3>Stock</h3><div id="products"></div></div></div>`,
);

const setUp = ({ view: { account }, onChange }: PageContext): RunningPage => {
  let data: SummaryData = { account };
  const update = (answers: SummaryData): void => {
    data = { ...data, ...answers };
    show(elementById('summary'), summaryView(data, Date.now()));
  };
  const onChoice = (): void => {
    if (data.users !== 'unknown') show(elementById('quota-states'), stateCounts(account, data.users ?? null));
    onChange();
  };
  setUpRange(onChoice);
  const users = userSummary(account, (users) => update({ users }));
  return {
    refreshers: [
      ...alertSections((alerts) => update({ alerts })),
      setUpAlertHistory(onChoice),
      () => users.refresh(),
      setUpTraffic(account, onChoice, (traffic) => update({ traffic })),
      setUpTopUsers(account),
      setUpQuotas(account, onChoice),
      setUpBalance(account, (ledger) => update({ ledger })),
      setUpTests(account, onChoice, update),
      setUpMarket(account, onChoice),
    ],
    onStatus: (status) => {
      const collectors = status.accounts.find(({ name }) => name === account)?.collectors;
      update({ isConfigured: collectors !== undefined, ...(collectors && { collectors }) });
      show(
        elementById('collector-list'),
        collectors
          ? collectorTable(account, collectors, Date.now())
          : emptyNote('The configuration no longer has this account.'),
      );
    },
    onStatusError: () => update({ collectors: 'unknown' }),
  };
};

/** `onAnswer` is called with each answer that the summary shows too, or that it is unknown. */
const alertSections = (onAnswer: (alerts: AlertGroups | Unknown) => void) => {
  const alerts = new Section<AlertGroups>({
    element: elementById('alert-list'),
    path: () => 'api/v1/alerts/groups',
    draw: (answer) => {
      const groups = answer ?? { evaluated: false, evaluated_at: null, data: [], counts: [] };
      onAnswer(groups);
      return alertTable(groups, Date.now());
    },
    onError: () => onAnswer('unknown'),
  });
  const silences = new Section<Silences>({
    element: elementById('silence-list'),
    path: () => 'api/v1/silences',
    draw: (answer) => (answer ? silenceTable(answer, Date.now()) : html``),
  });
  return [() => alerts.refresh(), () => silences.refresh()];
};

/** Shows the counts of states. `onAnswer` is called with each answer for the figures at the top, or that it is unknown. */
const userSummary = (account: string, onAnswer: (users: UserSummary | null | Unknown) => void) =>
  new Section<UserSummary>({
    element: elementById('quota-states'),
    path: () => `api/v1/users/summary?account=${encodeURIComponent(account)}`,
    draw: (summary) => {
      onAnswer(summary);
      return stateCounts(account, summary);
    },
    onError: () => onAnswer('unknown'),
  });

export const accountPage: Page = {
  content: () => html`${trafficCard}${quotaCard}${balanceCard}${testCard}${marketCard}`,
  setUp,
};

/** `onChange` is called when a page is turned. Returns a function that refreshes the section. */
export const setUpMarket = (account: string, onChange: () => void): (() => Promise<void>) => {
  const list = <T>(id: string, noItems: string, draw: (items: readonly T[]) => Markup) =>
    setUpList<T>({
      ...{ id, itemName: id, noItems, draw, onChange, isBrief: false },
      path: () => `api/v1/${id}?account=${encodeURIComponent(account)}`,
    });
  const refreshers = [
    list<Service>('services', 'proxywatch knows no services of this account.', (items) =>
      serviceTable(items, Date.now()),
    ),
    list<Quote>('quotes', 'The configuration has no orders.', quoteTable),
    list<Product>('products', 'The catalog has no products.', productTable),
  ];
  return async () => {
    await Promise.all(refreshers.map((refresh) => refresh()));
  };
};
