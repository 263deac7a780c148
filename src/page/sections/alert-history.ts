// Fills the history of alerts, which is requested only while the reader has opened it.

import type { Episode } from '../answers.ts';
import { PagedList } from '../paged-list.ts';
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
