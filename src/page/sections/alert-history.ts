// Fills the history of alerts: of all, which is requested only while the reader has opened it, and of one subject.

import type { Episode } from '../answers.ts';
import { PagedList, setUpList } from '../paged-list.ts';
import { elementById } from '../show.ts';
import { alertHistoryTable } from '../views/alert-history.ts';

const PAGE_SIZE = 50;

/** `onChange` is called when the history is opened or a page is turned. Returns a function that refreshes it. */
export const setUpAlertHistory = (onChange: () => void): (() => Promise<void>) => {
  const details = elementById<HTMLDetailsElement>('alert-history');
  const list = new PagedList<Episode>({
    element: elementById('alert-history-list'),
    itemName: 'the alert history',
    pageSize: PAGE_SIZE,
    path: () => (details.open ? `api/v1/alerts/history?limit=${PAGE_SIZE}` : null),
    draw: (page) => alertHistoryTable(page?.data ?? [], Date.now()),
    onPageChange: onChange,
  });
  details.addEventListener('toggle', () => {
    if (details.open) onChange();
  });
  return () => list.refresh();
};

/** `subject` is a label and its value, such as `proxy_id=fr-1`. Returns a function that refreshes the list. */
export const setUpSubjectAlerts = (
  account: string,
  subject: string,
  onChange: () => void,
): (() => Promise<void>) =>
  setUpList<Episode>({
    id: 'subject-alerts',
    itemName: 'alerts',
    path: () => `api/v1/alerts/history?${new URLSearchParams({ account, subject })}`,
    draw: (episodes) => alertHistoryTable(episodes, Date.now()),
    noItems: 'The history has no alert about this subject.',
    onChange,
  });
