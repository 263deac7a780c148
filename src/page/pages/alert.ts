// The page of a kind of alert: the alerts that are active, who was notified or why not, and those that have ended.

import type { Episode, ExplainedAlert, Notices } from '../answers.ts';
import { card, emptyNote } from '../components.ts';
import { html } from '../html.ts';
import { PagedList, setUpList } from '../paged-list.ts';
import { section, together } from '../sections/section.ts';
import { elementById, show, showSubjectIsKnown } from '../show.ts';
import { aboutAlert, activeAlerts, alertHistoryTable, inactiveList } from '../views/alert-history.ts';
import type { Page, PageContext } from './page.ts';

const PAGE_SIZE = 10;

const setUp = ({ view: { id: alert }, onChange }: PageContext) => {
  const query = new URLSearchParams({ alert });
  /** Undefined until the daemon has accepted or refused the name of the alert. */
  let isKnown: boolean | undefined;
  const unlessRefused = (path: string): string | null => (isKnown === false ? null : path);
  const name = section<Notices>({
    element: elementById('about'),
    path: () => (isKnown === undefined ? `api/v1/alerts/notices?${query}&limit=1` : null),
    draw: () => {
      isKnown = true;
      return html``;
    },
    // The name is the only parameter of the path that the daemon can refuse.
    onRefusal: () => {
      isKnown = false;
      showSubjectIsKnown(false);
      show(elementById('active-list'), emptyNote('This version of proxywatch has no alert of this name.'));
      return true;
    },
  });
  const active = new PagedList<ExplainedAlert, Notices>({
    element: elementById('active-list'),
    itemName: 'alerts',
    pageSize: PAGE_SIZE,
    path: () => unlessRefused(`api/v1/alerts/notices?${query}&limit=${PAGE_SIZE}`),
    draw: (notices) => {
      show(elementById('about'), notices ? aboutAlert(notices) : html``);
      show(elementById('inactive'), notices ? inactiveList(notices) : html``);
      return notices ? activeAlerts(notices, Date.now()) : html``;
    },
    onPageChange: onChange,
  });
  const history = setUpList<Episode>({
    id: 'history-list',
    itemName: 'alerts of the history',
    pageSize: 25,
    path: () => unlessRefused(`api/v1/alerts/history?${query}`),
    draw: (episodes) => alertHistoryTable(episodes, Date.now()),
    noItems: 'The history has no such alert.',
    onChange,
  });
  const refreshLists = together([active.refresh, history]);
  const refresh = async () => {
    // If the daemon refuses the name, it would only refuse the other requests too.
    await name();
    await refreshLists();
  };
  return { refreshers: [refresh] };
};

export const alertPage: Page = {
  content: () => html`
${card({ id: 'active', title: 'Active alerts, and who was notified' }, html`<div id="about"></div><div id="active-list">${emptyNote('…')}</div><div id="inactive"></div>`)}
${card({ id: 'history', title: 'History' }, html`<div id="history-list"></div>`)}`,
  setUp,
};
