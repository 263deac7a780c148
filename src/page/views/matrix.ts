// Shows the result of one proxy test as a mark and a text, and the results of a proxy's tests as a heat map: a row for each
// target, a column for each tester.

import type { Test, TestCell } from '../answers.ts';
import { emptyCell, subjectLink } from '../components.ts';
import { count, percent, seconds, utc } from '../format.ts';
import { html, type Markup } from '../html.ts';

/** Shows whether a test succeeded, and its response time or the source of its error. */
export const resultMark = ({
  success,
  response_time_seconds: took,
  error_source: source,
}: Pick<Test, 'success' | 'response_time_seconds' | 'error_source'>): Markup => {
  const text = success ? (took === null ? 'ok' : seconds(took)) : (source ?? 'failed');
  return html`<span aria-hidden="true">${success ? '✓' : '✕'}</span><span class="unseen">${success ? 'succeeded' : 'failed'}</span> ${text}`;
};

/** `shown` is what a failed cell shows. The code of a probe says more than its source, such as `client`. */
export const heatMap = (
  account: string,
  cells: readonly TestCell[],
  shown: 'error_source' | 'error_code' = 'error_source',
): Markup => {
  const urls = [...new Set(cells.map(({ url }) => url))].sort();
  const testers = [...new Set(cells.map(({ tester_server: tester }) => tester))].sort();
  const byKey = new Map(cells.map((cell) => [`${cell.url}\n${cell.tester_server}`, cell]));
  return html`<div class="scrolling" role="region" aria-label="Heat map of results by target and tester" tabindex="0"><table class="matrix heat">
<caption>Last result and outcomes of the last rounds by target and tester</caption>
<thead><tr><th scope="col">Target</th>${testers.map(
    (tester) => html`<th scope="col" class="tester">${subjectLink(account, 'tester', tester)}</th>`,
  )}</tr></thead>
<tbody>${urls.map(
    (url) =>
      html`<tr><th scope="row">${subjectLink(account, 'target', url)}</th>${testers.map((tester) =>
        heatCell(byKey.get(`${url}\n${tester}`), shown),
      )}</tr>`,
  )}</tbody>
</table></div>`;
};

/** The colour is that of the last rounds: all succeeded, some failed, or all failed. */
const heatCell = (cell: TestCell | undefined, shown: 'error_source' | 'error_code'): Markup => {
  if (!cell) return html`<td>${emptyCell()}</td>`;
  const { success, results, successes, last_outcomes: outcomes } = cell;
  const failed = outcomes.filter((outcome) => !outcome).length;
  const level = failed === 0 ? 'good' : failed === outcomes.length ? 'bad' : 'fair';
  const title = [
    `${utc(Date.parse(cell.at))}${success ? '' : `: ${cell.error_source ?? 'no source'}, ${cell.error_code ?? 'no code'}`}`,
    `${count(successes)} of ${count(results)} tests succeeded (${results === 0 ? '–' : percent(successes / results)})`,
  ].join('\n');
  return html`<td class="heat-${level}" title="${title}">${resultMark({ ...cell, error_source: cell[shown] })}
<span class="note">${outcomeText(outcomes)}</span></td>`;
};

/** Says how many of the last rounds failed. */
const outcomeText = (outcomes: readonly boolean[]): string => {
  const failed = outcomes.filter((outcome) => !outcome).length;
  if (outcomes.length < 2) return '';
  return failed === 0 ? `last ${outcomes.length} succeeded` : `${failed} of last ${outcomes.length} failed`;
};
