// The page of an account: what is wrong and needs a person, figures, traffic, quotas, balance, proxy tests and the market.

import { type ListView, SECTION_COLLECTORS, SECTIONS, type Section, type View } from '../address.ts';
import type { AlertGroups, Silences, Unknown, UserSummary } from '../answers.ts';
import { segments } from '../choice.ts';
import { card, emptyNote, figure, subjectLink } from '../components.ts';
import { html, type Markup, type Value } from '../html.ts';
import { isOn } from '../monitored.ts';
import { setUpBalance, setUpCost, setUpErrors, setUpUsage } from '../sections/balance.ts';
import { hasServices, marketFrame, setUpMarket } from '../sections/market.ts';
import { setUpTests } from '../sections/proxy-tests.ts';
import { setUpQuotas, setUpTopUsers, stateCounts } from '../sections/quotas.ts';
import { rangeControl, setUpRange } from '../sections/range-control.ts';
import { type Refresh, section } from '../sections/section.ts';
import { setUpTraffic, trafficFrame } from '../sections/traffic.ts';
import { elementById, show } from '../show.ts';
import { evaluationNote } from '../views/alerts.ts';
import { collectorsView } from '../views/collectors.ts';
import { USAGE_BY } from '../views/cost.ts';
import { ERRORS_BY } from '../views/errors.ts';
import { overviewAnswers, overviewView } from '../views/overview.ts';
import type { OverviewData } from '../views/signs.ts';
import { silenceTable } from '../views/silences.ts';
import type { Page, PageContext, RunningPage } from './page.ts';

/** The range of the plots of traffic is that of the users too. Without these plots, the users have the control. */
const topUsersFrame = (): Markup => html`${isShown('traffic') ? null : rangeControl}
<details><summary>Proxy users with the most bytes</summary><div id="top-users"></div></details>
<details id="label-use" hidden><summary>Use by label</summary><div id="label-tables"></div></details>`;

const balanceFrame = (id: 'balance' | 'mobile-balance'): Markup => html`
<div class="columns"><div id="${id}-now"></div>
<div id="${id}-history" hidden>${figure(`${id}-plot`, 'Used by day', { mark: 'bytes added, or corrected later' })}
<details><summary>Ledger by day as a table</summary><div id="${id}-days"></div></details>
</div></div>`;

const testFrame = html`<div id="proxies"></div>
<details><summary>Targets and testers</summary><div class="columns"><div id="targets"></div><div id="testers"></div></div></details>`;

const linkToList = (account: string, view: ListView, text: string): Markup =>
  subjectLink(account, view, '', text);

const isShown = (section: Section): boolean => isOn(SECTION_COLLECTORS[section]);

const setUp = ({ view: { account }, onChange }: PageContext): RunningPage => {
  // The page asks for nothing that the account does not have.
  let data: OverviewData = {
    account,
    ...(!isShown('traffic') && { traffic: null }),
    ...(!isShown('quotas') && { users: null }),
    ...(!isShown('balance') && { ledger: null }),
    ...(!isShown('mobile-balance') && { mobileLedger: null }),
    ...(!isShown('tests') && { faults: null, targets: null }),
    ...(!hasServices() && { services: null }),
  };
  const update = (answers: OverviewData): void => {
    data = { ...data, ...answers };
    show(elementById('overview'), overviewView(data, Date.now()));
  };
  if (isShown('traffic') || isShown('quotas')) setUpRange(onChange);
  const users = () => userSummary(account, (users) => update({ users }));
  const sections: readonly (readonly [Section, () => readonly Refresh[]])[] = [
    ['alerts', () => alertSections(account, update)],
    ['traffic', () => [setUpTraffic(account, onChange, (traffic) => update({ traffic }))]],
    ['quotas', () => [users(), setUpQuotas(account, onChange), setUpTopUsers(account)]],
    ['balance', () => [setUpBalance('residential', account, (ledger) => update({ ledger }))]],
    ['mobile-balance', () => [setUpBalance('mobile', account, (mobileLedger) => update({ mobileLedger }))]],
    ['cost', () => [setUpCost(account)]],
    ['usage', () => [setUpUsage(account, onChange)]],
    ['errors', () => setUpErrors(account, onChange)],
    ['tests', () => [setUpTests(account, update)]],
    ['market', () => setUpMarket(account, onChange, (services) => update({ services }))],
  ];
  return {
    refreshers: sections.flatMap(([section, start]) => (isShown(section) ? start() : [])),
    onStatus: (status) => {
      const known = overviewAnswers(status, account);
      update(known);
      const { collectors = 'unknown' } = known;
      show(
        elementById('collector-list'),
        collectors === 'unknown'
          ? emptyNote('The configuration no longer has this account.')
          : collectorsView(account, collectors, Date.now()),
      );
    },
    onStatusError: () => update({ collectors: 'unknown' }),
  };
};

/** `onAnswer` is called with each answer that the top of the page shows, or that it is unknown. */
const alertSections = (account: string, onAnswer: (answers: OverviewData) => void): Refresh[] => {
  const alerts = section<AlertGroups>({
    element: elementById('alert-note'),
    path: () => `api/v1/alerts/groups?${new URLSearchParams({ account, with_daemon: 'true' })}`,
    draw: (answer) => {
      const groups = answer ?? { evaluated: false, evaluated_at: null, data: [], counts: [] };
      onAnswer({ alerts: groups });
      return evaluationNote(groups, Date.now()) ?? html``;
    },
    onError: () => onAnswer({ alerts: 'unknown' }),
  });
  const silences = section<Silences>({
    element: elementById('silence-list'),
    path: () => 'api/v1/silences',
    draw: (answer) => {
      onAnswer({ silences: answer?.data ?? [] });
      return answer ? silenceTable(answer, Date.now(), onlyAccount()) : html``;
    },
  });
  return [alerts, silences];
};

/** The page lists the accounts if there are several. */
const onlyAccount = (): string | undefined =>
  document.querySelector('[aria-label=Accounts]') ? undefined : document.body.dataset.account;

/** Shows the counts of states. `onAnswer` is called with each answer for the figures at the top, or that it is unknown. */
const userSummary = (account: string, onAnswer: (users: UserSummary | null | Unknown) => void): Refresh =>
  section<UserSummary>({
    element: elementById('quota-states'),
    path: () => `api/v1/users/summary?account=${encodeURIComponent(account)}`,
    draw: (summary) => stateCounts(account, summary),
    onAnswer,
  });

const quotaControls = (account: string): Markup =>
  html`${segments('type', 'Product type', { '': 'Residential', mobile: 'Mobile' })}${linkToList(account, 'users', 'All proxy users')}`;

const content = ({ account }: View): Markup => {
  const cards: readonly (readonly [id: Section, content: Value, controls?: Value])[] = [
    ['traffic', trafficFrame, html`<label>Graph <select id="graph"></select></label>${rangeControl}`],
    [
      'quotas',
      html`<div id="quota-states"></div><div id="quota-list"></div>${topUsersFrame()}`,
      quotaControls(account),
    ],
    ['balance', balanceFrame('balance')],
    ['mobile-balance', balanceFrame('mobile-balance')],
    ['cost', html`<div id="cost-now"></div>`],
    ['usage', html`<div id="usage-table"></div>`, segments('usage-by', 'Charged bytes by', USAGE_BY)],
    [
      'errors',
      html`<div id="error-reasons"></div><div id="error-costs"></div>`,
      segments('errors-by', 'Failed requests by', ERRORS_BY),
    ],
    ['tests', testFrame, linkToList(account, 'proxies', 'All tested proxies')],
    ['market', marketFrame(), hasServices() ? linkToList(account, 'services', 'All services') : null],
  ];
  return html`<div class="cards">${cards.map(([id, frame, controls = null]) =>
    isShown(id) ? card({ id, title: SECTIONS[id], controls }, frame) : null,
  )}</div>`;
};

export const accountPage: Page = { content, setUp };
