// Starts the page in the browser, and keeps all its sections up to date together.

import type { Alerts, Silences, Status, UserSummary } from './answers.ts';
import { emptyNote } from './components.ts';
import { UnreachableError } from './conditional-fetcher.ts';
import { html } from './html.ts';
import { keepUpToDate } from './live.ts';
import { setUpAlertHistory } from './sections/alert-history.ts';
import { setUpBalance } from './sections/balance.ts';
import { setUpMarket } from './sections/market.ts';
import { setUpTests } from './sections/proxy-tests.ts';
import { setUpQuotas, showStateCounts } from './sections/quotas.ts';
import { Section } from './sections/section.ts';
import { setUpTraffic } from './sections/traffic.ts';
import { elementById, show } from './show.ts';
import { alertTable } from './views/alerts.ts';
import { collectorTable } from './views/collectors.ts';
import { noticesView } from './views/notices.ts';
import { silenceTable } from './views/silences.ts';
import { type SummaryData, summaryView } from './views/summary.ts';

const account = document.body.dataset.account ?? '';
const accountQuery = `account=${encodeURIComponent(account)}`;

let summaryData: SummaryData = { account };

const updateSummary = (update: SummaryData): void => {
  summaryData = { ...summaryData, ...update };
  show(elementById('summary'), summaryView(summaryData, Date.now()));
};

const status = new Section<Status>({
  element: elementById('collector-list'),
  path: () => 'api/v1/status',
  draw: (answer) => {
    const collectors = answer?.accounts.find(({ name }) => name === account)?.collectors;
    if (!answer || !collectors) return emptyNote('The configuration no longer has this account.');
    updateSummary({ status: answer, collectors });
    show(elementById('notices'), noticesView(answer, Date.now()));
    return collectorTable(account, collectors, Date.now());
  },
});

const alerts = new Section<Alerts>({
  element: elementById('alert-list'),
  path: () => 'api/v1/alerts?limit=1000',
  draw: (answer) =>
    alertTable(answer ?? { evaluated: false, evaluated_at: null, data: [], next_cursor: null }, Date.now()),
});

const silences = new Section<Silences>({
  element: elementById('silence-list'),
  path: () => 'api/v1/silences',
  draw: (answer) => (answer ? silenceTable(answer, Date.now()) : html``),
});

const users = new Section<UserSummary>({
  // This answer is used only for the figures at the top and the counts of states.
  element: document.createElement('div'),
  path: () => `api/v1/users/summary?${accountQuery}`,
  draw: (summary) => {
    updateSummary({ users: summary });
    showStateCounts(summary);
    return html``;
  },
});

/** Is called when the reader chooses something else to show. */
const onChange = (): void => {
  showStateCounts(summaryData.users ?? null);
  refreshSoon();
};

const refreshers: readonly (() => Promise<void>)[] = [
  () => status.refresh(),
  () => alerts.refresh(),
  () => silences.refresh(),
  setUpAlertHistory(() => onChange()),
  () => users.refresh(),
  setUpTraffic(
    account,
    () => onChange(),
    (traffic) => updateSummary({ traffic }),
  ),
  setUpQuotas(
    account,
    () => onChange(),
    () => summaryData.users?.freshness[0],
  ),
  setUpBalance(account, (ledger) => updateSummary({ ledger })),
  setUpTests(account, () => onChange(), updateSummary),
  setUpMarket(account, () => onChange()),
];

const refreshAll = async (): Promise<void> => {
  const results = await Promise.allSettled(refreshers.map((refresh) => refresh()));
  const failed = results.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  // An error in one section is reported, and does not affect the others.
  for (const error of failed) if (!(error instanceof UnreachableError)) reportError(error);
  if (failed.some((error) => error instanceof UnreachableError)) throw new UnreachableError('no answer');
};

document.documentElement.classList.add('scripted');
const refreshSoon = keepUpToDate(refreshAll);
