// The page of a kind of alert: the alerts that are active, who was notified or why not, and those that have ended.

import type { Episode, ExplainedAlert, Notices } from '../answers.ts';
import { card } from '../card.ts';
import { emptyNote } from '../components.ts';
import { html } from '../html.ts';
import { Section } from '../sections/section.ts';
import { setUpList } from '../sections/simple-list.ts';
import { elementById, show, showSubjectIsKnown } from '../show.ts';
import { alertHistoryTable } from '../views/alert-history.ts';
import { aboutAlert, explainedTable, inactiveList } from '../views/explained-alerts.ts';
import type { Page, PageContext } from './page.ts';

const setUp = ({ view: { id: alert }, onChange }: PageContext) => {
  const query = new URLSearchParams({ alert });
  let isKnown = true;
  const ifKnown = (path: string): string | null => (isKnown ? path : null);
  const active = setUpList<ExplainedAlert>({
    id: 'active-list',
    itemName: 'alerts',
    path: () => ifKnown(`api/v1/alerts/notices?${query}`),
    draw: (alerts) => explainedTable(alerts, Date.now()),
    noItems: 'No such alert is firing or pending.',
    onChange,
  });
  const why = new Section<Notices>({
    element: elementById('inactive'),
    path: () => ifKnown(`api/v1/alerts/notices?${query}&limit=1`),
    draw: (notices) => {
      show(elementById('about'), notices ? aboutAlert(notices) : html``);
      return notices?.inactive ? inactiveList(notices.inactive) : html``;
    },
    // The name is the only parameter of the path that the daemon can refuse.
    onRefusal: () => {
      isKnown = false;
      showSubjectIsKnown(false);
      show(elementById('active-list'), emptyNote('This version of proxywatch has no alert of this name.'));
      return true;
    },
  });
  const history = setUpList<Episode>({
    id: 'history-list',
    itemName: 'alerts of the history',
    pageSize: 25,
    path: () => ifKnown(`api/v1/alerts/history?${query}`),
    draw: (episodes) => alertHistoryTable(episodes, Date.now()),
    noItems: 'No such alert has fired.',
    onChange,
  });
  // The other requests would only be refused too.
  const refresh = async () => {
    await why.refresh();
    await Promise.all([active(), history()]);
  };
  return { refreshers: [refresh] };
};

export const alertPage: Page = {
  content: () => html`
${card({ id: 'active', title: 'Active alerts, and who was notified' }, html`<div id="about"></div><div id="active-list">${emptyNote('…')}</div><div id="inactive"></div>`)}
${card({ id: 'history', title: 'History' }, html`<div id="history-list"></div>`)}`,
  setUp,
};
