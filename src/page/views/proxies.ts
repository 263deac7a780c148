// Shows the last results of proxy tests: the matrix of all proxies with their uptime, and the heat map of one proxy.

import type { Test, TestCell, TestedProxy, UptimeHistory } from '../answers.ts';
import { ago, badge, emptyCell, quiet, subjectLink } from '../components.ts';
import { count, percent, seconds, utc } from '../format.ts';
import { html, type Markup } from '../html.ts';
import { dayStrip, monthStrip } from './uptime.ts';

interface Target {
  readonly url: string;
  readonly testers: readonly string[];
}

/** Returns, in order, the URLs and testers for which any of the proxies has a result. */
export const targetsOf = (proxies: readonly TestedProxy[]): Target[] => {
  const testers = new Map<string, Set<string>>();
  for (const { url, tester_server } of proxies.flatMap(({ tests }) => tests))
    testers.set(url, (testers.get(url) ?? new Set()).add(tester_server));
  return [...testers].sort().map(([url, names]) => ({ url, testers: [...names].sort() }));
};

/** The matrix is wide with many testers, so it scrolls within its frame and keeps its first column visible. */
export const proxyMatrix = (
  proxies: readonly TestedProxy[],
  histories: readonly UptimeHistory[],
  now: number,
): Markup => {
  const targets = targetsOf(proxies);
  const account = proxies[0]?.account ?? '';
  const historyById = new Map(histories.map((each) => [each.id, each]));
  return html`<div class="scrolling" role="region" aria-label="Last results by proxy" tabindex="0"><table class="matrix">
<caption>Last result of each proxy by target and tester, and its uptime</caption>
<thead>
<tr><th scope="col" rowspan="2">Proxy</th><th scope="col" rowspan="2">State</th><th scope="col" rowspan="2">Own uptime, 24 hours</th><th scope="col" rowspan="2">30 days</th>${targets.map(
    ({ url, testers }) =>
      html`<th scope="colgroup" colspan="${testers.length}" class="group">${subjectLink(account, 'target', url)}</th>`,
  )}<th scope="col" rowspan="2">Tested</th></tr>
<tr>${targets.map(({ testers }) => testers.map((name) => html`<th scope="col" class="tester">${subjectLink(account, 'tester', name)}</th>`))}</tr>
</thead>
<tbody>${proxies.map((proxy) => proxyRow(proxy, targets, historyById.get(proxy.proxy_id), now))}</tbody>
</table></div>`;
};

const proxyRow = (
  proxy: TestedProxy,
  targets: readonly Target[],
  history: UptimeHistory | undefined,
  now: number,
) => {
  const tests = new Map(proxy.tests.map((test) => [`${test.url}\n${test.tester_server}`, test]));
  const cells = targets.flatMap(({ url, testers }) => testers.map((name) => tests.get(`${url}\n${name}`)));
  return html`
<tr><th scope="row">${subjectLink(proxy.account, 'proxy', proxy.proxy_id)}</th>
<td>${faultBadge(proxy)}</td><td>${history ? dayStrip(history) : null}</td><td>${history ? monthStrip(history) : null}</td>${cells.map(resultCell)}
<td>${proxy.last_tested_at === null ? quiet('never') : ago(proxy.last_tested_at, now)}</td></tr>`;
};

/**
 * A proxy that fails only because of others is OK if some test passes. If none passes, nothing shows that the proxy works.
 */
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

const resultCell = (test: Test | undefined): Markup => {
  if (!test) return html`<td class="result">${emptyCell()}</td>`;
  const { success, at, error_source, error_code } = test;
  const title = `${utc(Date.parse(at))}${error_source === null ? '' : `, ${error_source}: ${error_code ?? 'no code'}`}`;
  return html`<td class="result ${success ? 'good' : 'bad'}" title="${title}">${resultMark(test)}</td>`;
};

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
