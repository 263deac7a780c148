// Fills lists about a subject: its adjustments of services, if their collector is on, and the history of its alerts.

import type { Adjustment, Episode } from '../answers.ts';
import { html, type Markup } from '../html.ts';
import { isOn } from '../monitored.ts';
import { setUpList } from '../paged-list.ts';
import { adjustmentTable } from '../views/adjustments.ts';
import { alertHistoryTable } from '../views/alert-history.ts';
import type { Refresh } from './section.ts';

export const adjustmentFrame = (): Markup | null =>
  isOn(['adjustments'])
    ? html`<details><summary>Adjustments</summary><div id="adjustments"></div></details>`
    : null;

/** `query` selects the adjustments. Returns the functions that refresh the list. */
export const setUpAdjustments = (query: Readonly<Record<string, string>>, onChange: () => void): Refresh[] =>
  isOn(['adjustments'])
    ? [
        setUpList<Adjustment>({
          ...{ id: 'adjustments', itemName: 'adjustments', onChange, isBrief: false, pageSize: 10 },
          path: () => `api/v1/adjustments?${new URLSearchParams(query)}`,
          draw: adjustmentTable,
          noItems: 'The provider lists no adjustments of services.',
        }),
      ]
    : [];

/** `subject` is a label and its value, such as `proxy_id=fr-1`. Returns a function that refreshes the list. */
export const setUpSubjectAlerts = (account: string, subject: string, onChange: () => void): Refresh =>
  setUpList<Episode>({
    id: 'subject-alerts',
    itemName: 'alerts',
    path: () => `api/v1/alerts/history?${new URLSearchParams({ account, subject })}`,
    draw: (episodes) => alertHistoryTable(episodes, Date.now()),
    noItems: 'The history has no alert about this subject.',
    onChange,
  });
