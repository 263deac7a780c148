// Fills the alerts about one subject: those that fire, and the history of those that fired.

import type { Episode } from '../answers.ts';
import { alertHistoryTable } from '../views/alert-history.ts';
import { setUpList } from './simple-list.ts';

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
