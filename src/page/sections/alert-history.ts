// Fills the history of alerts of one subject.

import type { Episode } from '../answers.ts';
import { setUpList } from '../paged-list.ts';
import { alertHistoryTable } from '../views/alert-history.ts';

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
