// The status page's table of one account's collectors.

import { html, type Markup } from './html.ts';
import { ago, ahead, badge, progressBar, quiet, span } from './page-parts.ts';
import type { CollectorStatus } from './view.ts';

const COLUMNS = ['Collector', 'Last run', 'Last success', 'Next run', 'Last error'];

// Narrow screens lay the table out as blocks, and some browsers then forget that it is one: hence the roles.
export const collectorTable = (
  account: string,
  collectors: readonly CollectorStatus[],
  now: number,
): Markup => html`<table role="table">
<caption>Collectors of the account ${account}</caption>
<thead role="rowgroup">
<tr role="row">${COLUMNS.map((name) => html`<th role="columnheader" scope="col">${name}</th>`)}</tr>
</thead>
<tbody role="rowgroup">${collectors.map((collector) => row(collector, now))}
</tbody>
</table>`;

const row = (collector: CollectorStatus, now: number): Markup => html`
<tr role="row">
<th role="rowheader" scope="row">${collector.name}</th>
${cell('Last run', lastRun(collector, now))}
${cell('Last success', lastSuccess(collector, now))}
${cell('Next run', nextRun(collector, now))}
${cell('Last error', lastError(collector))}
</tr>`;

// The label stands in for the head of the table where there is no room for it.
const cell = (label: string, content: Markup): Markup =>
  html`<td role="cell" data-label="${label}"><div>${content}</div></td>`;

const lastRun = (collector: CollectorStatus, now: number): Markup => {
  const { lastAttemptAt, runningSince, progress } = collector;
  return html`${resultBadge(collector)}
${lastAttemptAt === null ? null : quiet(ago(lastAttemptAt, now))}
${runningSince === null ? null : html`<p>Running for ${span(now - runningSince)}</p>`}
${progress && progressBar(progress)}`;
};

const resultBadge = ({ result, failuresInARow }: CollectorStatus): Markup => {
  if (result === null) return badge('none', 'Not run yet');
  if (result === 'ok') return badge('good', 'OK');
  if (result === 'partial') return badge('fair', 'Failed in part');
  return badge('bad', failuresInARow > 1 ? `Failed ${failuresInARow} times in a row` : 'Failed');
};

const lastSuccess = ({ lastSuccessAt }: CollectorStatus, now: number): Markup =>
  lastSuccessAt === null ? quiet('never') : ago(lastSuccessAt, now);

const nextRun = ({ nextAt, intervalMs }: CollectorStatus, now: number): Markup =>
  html`${ahead(nextAt, now)} ${quiet(`every ${span(intervalMs)}`)}`;

const lastError = ({ error }: CollectorStatus): Markup =>
  error === null ? quiet('none') : html`<strong>${error.kind}</strong> ${error.message}`;
