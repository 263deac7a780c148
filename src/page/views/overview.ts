// Shows the top of the overview: what is wrong in one sentence, and what needs a person.

import type { Status } from '../answers.ts';
import { html, type Markup } from '../html.ts';
import { evaluationNote } from './alerts.ts';
import { causeTable } from './cause-table.ts';
import { causesOf } from './causes.ts';
import { headlineView } from './headline.ts';
import type { OverviewData } from './overview-data.ts';

/** Returns what the status says about an account, with other answers. */
export const overviewAnswers = (
  { accounts, not_ready_reasons: notReady }: Pick<Status, 'accounts' | 'not_ready_reasons'>,
  account: string,
  answers: Pick<OverviewData, 'alerts'> = {},
): OverviewData => {
  const collectors = accounts.find(({ name }) => name === account)?.collectors;
  const others = accounts.flatMap(({ name, alerts }) =>
    name === account || !alerts.firing
      ? []
      : [{ name, firing: alerts.firing, severity: alerts.worst_severity }],
  );
  return {
    account,
    isConfigured: collectors !== undefined,
    ...{ others, notReady },
    ...(collectors && { collectors }),
    ...answers,
  };
};

export const overviewView = (data: OverviewData, now: number): Markup => {
  const causes = causesOf(data, now);
  return html`<section class="card" aria-label="What is wrong">${headlineView(data, causes, now)}
<h2 id="alerts" class="unseen">Alerts</h2><div id="alert-list">${causes.length > 0 || knowsAlerts(data.alerts, now) ? causeTable(causes, { account: data.account ?? '', now, silences: data.silences }) : null}</div></section>`;
};

/** Whether the daemon evaluates the alerts, and has done so recently. */
const knowsAlerts = (alerts: OverviewData['alerts'], now: number): boolean =>
  alerts !== undefined && alerts !== 'unknown' && evaluationNote(alerts, now) === null;
