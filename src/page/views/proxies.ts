// Shows the last results of proxy tests: those of all proxies with their uptime, and the heat map of one proxy.

import type { Test, TestCell, TestedProxy, UptimeHistory } from '../answers.ts';
import { ago, badge, column, emptyCell, quiet, subjectLink, table } from '../components.ts';
import { count, percent, seconds, utc } from '../format.ts';
import { html, type Markup, type Value } from '../html.ts';
import { dayStrip, MONTH, monthStrip } from './uptime.ts';

/** Shows the state of proxies, with their uptime, and which of their last tests fail. */
export const lastResults = (
  proxies: readonly TestedProxy[],
  histories: readonly UptimeHistory[],
  now: number,
): Markup => {
  const historyById = new Map(histories.map((each) => [each.id, each]));
  const uptime = (draw: (history: UptimeHistory) => Markup) => (proxy: TestedProxy) => {
    const history = historyById.get(proxy.proxy_id);
    return history ? draw(history) : emptyCell();
  };
  return table<TestedProxy>(
    'Last results of each proxy, and its uptime',
    [
      column('Proxy', ({ account, proxy_id: id }) => subjectLink(account, 'proxy', id)),
      column('State', faultBadge, 'state'),
      column('Own uptime, 24 hours', uptime(dayStrip)),
      column(MONTH, uptime(monthStrip)),
      column('Failing tests', failingTests, 'wide'),
      column('Tested', ({ last_tested_at: at }) => (at === null ? quiet('never') : ago(at, now))),
    ],
    proxies,
  );
};

/** Shows the targets at which the last tests failed, and from how many of the testers. */
const failingTests = ({ account, tests }: TestedProxy): Value => {
  const targets = [...Map.groupBy(tests, ({ url }) => url)].flatMap(([url, ofTarget]) => {
    const failed = ofTarget.filter(({ success }) => !success);
    return failed.length === 0
      ? []
      : [html`${subjectLink(account, 'target', url)} ${failed.length} of ${ofTarget.length}`];
  });
  if (targets.length === 0) return emptyCell(tests.length === 0 ? 'no tests' : 'none');
  return targets.map((target, index) => [index === 0 ? null : ', ', target]);
};

/** A proxy that fails only because of others is OK if some test passes. If none passes, nothing shows that the proxy works. */
export const faultBadge = ({ fault, tests, own_failing_tests: own, explained_by }: TestedProxy): Markup => {
  if (fault) return badge('bad', 'Faulty');
  if (tests.length === 0) return badge('none', 'Not tested yet');
  if (own) return badge('fair', `${own} of ${tests.length} fail`);
  if (explained_by.length === 0) return badge('good', 'OK');
  const others = othersFail(explained_by);
  return tests.some(({ success }) => success)
    ? badge('good', `OK, ${others}`)
    : badge('none', `Unknown, ${others}`);
};

const othersFail = (faults: TestedProxy['explained_by']): string => {
  const names = faults.map(({ kind, subject }) => (subject === '' ? kind : `${kind} ${subject}`));
  const shown = names.length > 2 ? [names[0], `${names.length - 1} others`] : names;
  return `${shown.join(' and ')} ${names.length === 1 ? 'fails' : 'fail'}`;
};

/** Shows whether a test succeeded, and its response time or the source of its error. */
const resultMark = ({
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
  return html`<div class="scrolling" role="region" aria-label="Heat map of results by target and tester" tabindex="0"><table role="table" class="matrix stacking">
<caption>Last result and outcomes of the last rounds by target and tester</caption>
<thead role="rowgroup"><tr role="row"><th role="columnheader" scope="col">Target</th>${testers.map(
    (tester) =>
      html`<th role="columnheader" scope="col" class="tester">${subjectLink(account, 'tester', tester)}</th>`,
  )}</tr></thead>
<tbody role="rowgroup">${urls.map(
    (url) =>
      html`<tr role="row"><th role="rowheader" scope="row"><div>${subjectLink(account, 'target', url)}</div></th>${testers.map(
        (tester) => heatCell(tester, byKey.get(`${url}\n${tester}`), shown),
      )}</tr>`,
  )}</tbody>
</table></div>`;
};

/** The colour is that of the last rounds: all succeeded, some failed, or all failed. */
const heatCell = (
  tester: string,
  cell: TestCell | undefined,
  shown: 'error_source' | 'error_code',
): Markup => {
  if (!cell) return html`<td role="cell" data-label="${tester}"><div>${emptyCell()}</div></td>`;
  const { success, results, successes, last_outcomes: outcomes } = cell;
  const failed = outcomes.filter((outcome) => !outcome).length;
  const level = failed === 0 ? 'good' : failed === outcomes.length ? 'bad' : 'fair';
  const title = [
    `${utc(Date.parse(cell.at))}${success ? '' : `: ${cell.error_source ?? 'no source'}, ${cell.error_code ?? 'no code'}`}`,
    `${count(successes)} of ${count(results)} tests succeeded (${results === 0 ? '–' : percent(successes / results)})`,
  ].join('\n');
  return html`<td role="cell" data-label="${tester}" class="heat-${level}" title="${title}"><div>${resultMark({ ...cell, error_source: cell[shown] })}
<span class="note">${outcomeText(outcomes)}</span></div></td>`;
};

const outcomeText = (outcomes: readonly boolean[]): string => {
  const failed = outcomes.filter((outcome) => !outcome).length;
  if (outcomes.length < 2) return '';
  return failed === 0 ? `last ${outcomes.length} succeeded` : `${failed} of last ${outcomes.length} failed`;
};
