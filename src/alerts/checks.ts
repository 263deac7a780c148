// Writes what to do first about an alert. The view that it names is the one that the link of the alert opens.

import { SECTIONS, VIEW_NAMES, VIEWS_BY_LABEL } from '../page/address.ts';
import type { Alert } from './alert.ts';

type Viewed = Pick<Alert, 'labels' | 'section'>;

const PAGE = 'reference/api.md#the-status-page';

/** Returns the checks of an alert with its view in words, as Markdown whose links start at docs/. */
export const checksOf = ({ checks, ...alert }: Viewed & Pick<Alert, 'checks'>): string[] =>
  checks.map((check) => check.replace('{view}', viewText(alert)));

/** Returns what the status page calls the view. */
export const viewName = ({ labels, section }: Viewed): string => {
  const [subject] = subjectsIn(labels);
  if (subject) return VIEW_NAMES[subject];
  return section === undefined ? VIEW_NAMES.account : SECTIONS[section];
};

const viewText = (alert: Viewed): string => {
  const name = viewName(alert);
  if (subjectsIn(alert.labels).length > 0)
    return `the page of the ${name.toLowerCase()} on the [status page](${PAGE})`;
  return alert.section === undefined
    ? `the [status page](${PAGE})`
    : `the part “${name}” of the [status page](${PAGE})`;
};

const subjectsIn = (labels: readonly string[]) =>
  Object.entries(VIEWS_BY_LABEL).flatMap(([label, view]) => (labels.includes(label) ? [view] : []));
